/** The panel's colours, shadows and type: one table per theme, turned into custom properties. */
import { type CSSResult, css, unsafeCSS } from "lit";

export const lightTokens = {
  stage: "#F1F1F4",
  glow: "#FBFBFC",
  chrome: "#FAFAFB",
  surface: "#FFFFFF",
  raised: "#FFFFFF",
  text: "#18191D",
  "text-2": "#585A64",
  icon: "#3A3C44",
  control: "#868892",
  line: "rgb(20 21 27 / .10)",
  "line-2": "rgb(20 21 27 / .07)",
  "fill-1": "rgb(24 25 29 / .055)",
  "fill-2": "rgb(24 25 29 / .10)",
  accent: "#2A5BE0",
  "on-accent": "#FFFFFF",
  "accent-line": "#2A5BE0",
  "accent-text": "#2350CB",
  "accent-tint": "#E7EDFD",
  focus: "#2A5BE0",
  agent: "#7A45DE",
  "agent-text": "#6833C8",
  "agent-tint": "#F0E9FD",
  good: "#127546",
  "good-tint": "#E0F3E8",
  care: "#875100",
  "care-tint": "#FCEFD8",
  bad: "#BF2438",
  "bad-tint": "#FCE8EA",
  tip: "#23242A",
  "on-tip": "#F4F5F7",
  "shadow-bar": "0 0 0 1px rgb(20 21 27 / .07), 0 1px 2px rgb(20 21 27 / .05), 0 8px 20px -6px rgb(20 21 27 / .14)",
  "shadow-pop": "0 0 0 1px rgb(20 21 27 / .08), 0 2px 6px rgb(20 21 27 / .06), 0 18px 44px -10px rgb(20 21 27 / .26)",
  "shadow-body": "0 1px 2px rgb(20 21 27 / .16), 0 10px 22px -8px rgb(20 21 27 / .20), 0 36px 60px -22px rgb(20 21 27 / .34)",
  "shadow-raised": "0 1px 1px rgb(20 21 27 / .05)",
  "switch-ring": "transparent",
} as const;

export type Token = keyof typeof lightTokens;

export const darkTokens: Record<Token, string> = {
  stage: "#111215",
  glow: "#191A1E",
  chrome: "#17181B",
  surface: "#1F2024",
  raised: "#323439",
  text: "#EDEEF1",
  "text-2": "#A8AAB4",
  icon: "#C5C7CF",
  control: "#7E808A",
  line: "rgb(255 255 255 / .10)",
  "line-2": "rgb(255 255 255 / .07)",
  "fill-1": "rgb(255 255 255 / .07)",
  "fill-2": "rgb(255 255 255 / .12)",
  accent: "#3D6AEE",
  "on-accent": "#FFFFFF",
  "accent-line": "#6F93FF",
  "accent-text": "#9BB4FF",
  "accent-tint": "#1B2541",
  focus: "#8FACFF",
  agent: "#9C70FA",
  "agent-text": "#BDA0FF",
  "agent-tint": "#281F40",
  good: "#57C88B",
  "good-tint": "#132A1E",
  care: "#E6B05A",
  "care-tint": "#2F2512",
  bad: "#FF7C88",
  "bad-tint": "#371A1F",
  tip: "#EDEEF1",
  "on-tip": "#18191D",
  "shadow-bar": "0 0 0 1px rgb(255 255 255 / .09), 0 8px 24px -6px rgb(0 0 0 / .5)",
  "shadow-pop": "0 0 0 1px rgb(255 255 255 / .11), 0 2px 6px rgb(0 0 0 / .3), 0 20px 48px -8px rgb(0 0 0 / .62)",
  "shadow-body": "0 24px 48px -20px rgb(0 0 0 / .55)",
  "shadow-raised": "0 0 0 0 transparent",
  "switch-ring": "#6F93FF",
};

function declarations(tokens: Record<Token, string>): CSSResult {
  return unsafeCSS(
    Object.entries(tokens)
      .map(([name, value]) => `--dv-${name}: ${value};`)
      .join("\n"),
  );
}

const light = declarations(lightTokens);
const dark = declarations(darkTokens);

export const tokenStyles = css`
  :host {
    ${light}
    color-scheme: light;
    --dv-font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
    --dv-mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
    --dv-body-size: 0.8125rem;
    --dv-body-line: 1.125rem;
  }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme="light"])) {
      ${dark}
      color-scheme: dark;
    }
  }
  :host([theme="dark"]) {
    ${dark}
    color-scheme: dark;
  }
  @media (pointer: coarse) {
    :host {
      --dv-body-size: 0.9375rem;
      --dv-body-line: 1.25rem;
    }
  }
  @media (prefers-contrast: more) {
    :host {
      --dv-text-2: var(--dv-text);
      --dv-line: var(--dv-control);
    }
  }
`;
