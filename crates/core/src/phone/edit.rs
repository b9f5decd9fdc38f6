//! A text being edited: characters, caret, selection. Places are byte offsets at character borders.

use serde::{Deserialize, Serialize};

/// The most a field holds, in characters; past it typing adds nothing.
pub const MOST_CHARACTERS: usize = 100_000;

/// One field's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Editor {
    text: String,
    caret: usize,
    /// The other end of the selection; the caret itself when nothing is selected.
    anchor: usize,
    /// Text an input method has not settled yet, as bytes from..to.
    #[serde(skip)]
    composing: Option<(usize, usize)>,
}

impl Editor {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The caret's place.
    #[must_use]
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// The selection, in order; empty at the caret.
    #[must_use]
    pub fn selection(&self) -> (usize, usize) {
        (self.caret.min(self.anchor), self.caret.max(self.anchor))
    }

    /// The text an input method has not settled.
    #[must_use]
    pub fn composing(&self) -> Option<(usize, usize)> {
        self.composing
    }

    /// The selected text.
    #[must_use]
    pub fn selected(&self) -> &str {
        let (from, to) = self.selection();
        &self.text[from..to]
    }

    /// In place of the selection; control characters but newline are left out.
    pub fn insert(&mut self, text: &str, lines: bool) {
        self.composing = None;
        let (from, to) = self.selection();
        let room = MOST_CHARACTERS
            .saturating_sub(self.text.chars().count() - self.text[from..to].chars().count());
        // A copied text may end its lines in CR LF.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let clean: String = text
            .chars()
            .map(|c| if c == '\n' && !lines { ' ' } else { c })
            .filter(|c| *c == '\n' || *c == '\t' || !c.is_control())
            .take(room)
            .collect();
        self.text.replace_range(from..to, &clean);
        self.caret = from + clean.len();
        self.anchor = self.caret;
    }

    /// What the input method shows so far, in place of what it showed before.
    pub fn compose(&mut self, text: &str, lines: bool) {
        if let Some((from, to)) = self.composing {
            (self.anchor, self.caret) = (from, to);
        }
        let from = self.selection().0;
        self.insert(text, lines);
        self.composing = (self.caret > from).then_some((from, self.caret));
    }

    /// What was composed stays.
    pub fn settle(&mut self) {
        self.composing = None;
    }

    /// Deletes the selection, or what stands before the caret.
    pub fn backspace(&mut self) {
        if self.caret == self.anchor {
            self.anchor = self.before(self.caret);
        }
        self.remove();
    }

    /// Deletes the selection, or what stands after the caret.
    pub fn delete(&mut self) {
        if self.caret == self.anchor {
            self.anchor = self.after(self.caret);
        }
        self.remove();
    }

    fn remove(&mut self) {
        let (from, to) = self.selection();
        self.text.replace_range(from..to, "");
        self.put(from, false);
    }

    /// Moves the caret, keeping the anchor when `select`.
    pub fn put(&mut self, at: usize, select: bool) {
        self.composing = None;
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        self.caret = at;
        if !select {
            self.anchor = at;
        }
    }

    /// One character back; from a selection to its start.
    pub fn left(&mut self, select: bool) {
        let (from, to) = self.selection();
        let at = if !select && from != to {
            from
        } else {
            self.before(self.caret)
        };
        self.put(at, select);
    }

    /// One character on; from a selection to its end.
    pub fn right(&mut self, select: bool) {
        let (from, to) = self.selection();
        let at = if !select && from != to {
            to
        } else {
            self.after(self.caret)
        };
        self.put(at, select);
    }

    /// Everything.
    pub fn select_all(&mut self) {
        self.composing = None;
        self.anchor = 0;
        self.caret = self.text.len();
    }

    /// The word at a place, or the run of spaces.
    pub fn select_word(&mut self, at: usize) {
        self.put(at, false);
        let at = self.caret;
        let kind = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let Some(first) = self.text[at..]
            .chars()
            .next()
            .or_else(|| self.text[..at].chars().next_back())
        else {
            return;
        };
        let same = |c: &char| kind(*c) == kind(first) && *c != '\n';
        let back: usize = self.text[..at]
            .chars()
            .rev()
            .take_while(same)
            .map(char::len_utf8)
            .sum();
        let on: usize = self.text[at..]
            .chars()
            .take_while(same)
            .map(char::len_utf8)
            .sum();
        self.anchor = at - back;
        self.caret = at + on;
    }

    fn before(&self, at: usize) -> usize {
        let mut at = at;
        // What joins to the character before is one with it: an accent, a joined emoji.
        while let Some(c) = self.text[..at].chars().next_back() {
            at -= c.len_utf8();
            let joined = self.text[..at].ends_with('\u{200D}');
            if !joins(c) && !joined {
                break;
            }
        }
        at
    }

    fn after(&self, at: usize) -> usize {
        let mut chars = self.text[at..].chars();
        let Some(first) = chars.next() else { return at };
        let mut end = at + first.len_utf8();
        let mut last = first;
        for c in chars {
            if !joins(c) && last != '\u{200D}' {
                break;
            }
            end += c.len_utf8();
            last = c;
        }
        end
    }
}

/// Marks that belong to the character before them.
fn joins(c: char) -> bool {
    matches!(c as u32, 0x0300..=0x036F | 0x200D | 0xFE00..=0xFE0F | 0x1F3FB..=0x1F3FF | 0x20D0..=0x20FF | 0x064B..=0x065F | 0x3099..=0x309A)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Editor {
        let mut e = Editor::default();
        e.insert(text, true);
        e
    }

    #[test]
    fn typing_replaces_the_selection() {
        let mut e = with("hello world");
        e.select_word(7);
        assert_eq!(e.selected(), "world");
        e.insert("there", true);
        assert_eq!(e.text(), "hello there");
        assert_eq!(e.caret(), 11);
    }

    #[test]
    fn a_joined_emoji_and_an_accent_go_at_one_backspace() {
        let mut e = with("a👩\u{200D}💻e\u{301}");
        e.backspace();
        assert_eq!(e.text(), "a👩\u{200D}💻");
        e.backspace();
        assert_eq!(e.text(), "a");
    }

    #[test]
    fn arrows_step_over_whole_characters_and_leave_a_selection_at_its_ends() {
        let mut e = with("日本語");
        e.left(false);
        assert_eq!(e.caret(), 6);
        e.left(true);
        assert_eq!(e.selected(), "本");
        e.right(false);
        assert_eq!(e.caret(), 6);
    }

    #[test]
    fn a_composition_replaces_itself_until_it_settles() {
        let mut e = with("x");
        e.compose("に", true);
        e.compose("にほん", true);
        assert_eq!(e.text(), "xにほん");
        e.compose("日本", true);
        e.settle();
        e.insert("!", true);
        assert_eq!(e.text(), "x日本!");
        assert_eq!(e.composing(), None);
    }

    #[test]
    fn a_one_line_field_keeps_no_line_break_and_a_full_one_takes_no_more() {
        let mut e = Editor::default();
        e.insert("a\r\nb\u{7}", false);
        assert_eq!(e.text(), "a b");
        e.insert(&"x".repeat(MOST_CHARACTERS + 5), true);
        assert_eq!(e.text().chars().count(), MOST_CHARACTERS);
    }
}
