/** Every size, time and window of the wires, in one place. Each says where it comes from. */

const MIB = 1024 * 1024;

/** Largest message of a viewer's or the input connection, in bytes (protocols 1). */
export const VIEWER_MESSAGE_BYTES_MAX = 1 * MIB;
/** Largest message of the control connection, in bytes (protocols 1). */
export const CONTROL_MESSAGE_BYTES_MAX = 8 * MIB;
/** Between two pings of a WebSocket (protocols 1). */
export const PING_INTERVAL_MS = 15_000;
/** From a ping to its pong; later ends the connection (protocols 1). */
export const PONG_TIMEOUT_MS = 15_000;
/** Close code of a connection that a newer one replaced; its client does not reconnect by itself (protocols 1). */
export const CLOSE_SUPERSEDED = 4000;
/** A close reason's longest text in bytes of UTF-8 (RFC 6455: a control frame holds 125, two of them the code). */
export const CLOSE_REASON_BYTES_MAX = 123;

/** Forced key frames are at least this far apart, for all viewers together (protocols 1, "Hub and pacing"). */
export const KEYFRAME_FLOOR_MS = 250;
/** A key unit and the deltas since it serve a join while they are younger than this (protocols 1). */
export const JOIN_CACHE_MS = 250;
/** Units a viewer may have unacknowledged (protocols 1). */
export const VIEWER_UNACKED_UNITS_MAX = 8;
/** How long a viewer's oldest unacknowledged unit may wait (protocols 1). */
export const VIEWER_UNACKED_MS_MAX = 500;
/** Bytes that may wait for one viewer (protocols 1). */
export const VIEWER_BACKLOG_BYTES_MAX = 4 * MIB;
/** Stills a second at most (note 063, "Where video cannot play"). */
export const STILLS_PER_SECOND_MAX = 5;

/** A request's id: characters (protocols 1). */
export const REQUEST_ID_CHARS_MAX = 64;
/** Answers that are remembered (note 063, "Requests"). */
export const ANSWERS_REMEMBERED = 200;
/** Controls that may wait behind the one that runs (protocols 1). */
export const CONTROLS_WAITING_MAX = 8;
/** Deadlines, counted from the start of the work (note 063, "Requests"). */
export const CONTROL_DEADLINE_MS = 10_000;
export const SWITCH_DEADLINE_MS = 120_000;
export const INSTALL_DEADLINE_MS = 300_000;
/** What the read-back after a missed deadline may take (protocols 1). */
export const READ_BACK_DEADLINE_MS = 2_000;

/** Fingers at once: the ids are 0 to 9 (protocols 1). */
export const CONTACTS_MAX = 10;
/** The largest coordinate on the wire: the video header's width is a u16. */
export const COORDINATE_MAX = 65_535;
/** How long one gesture may take. Ours: under the 10 s that a request has. */
export const GESTURE_MS_MAX = 9_000;
/** Paths of one install. Ours: one app's split APKs are a few dozen. */
export const INSTALL_PATHS_MAX = 256;
/** A link's length. Ours: what browsers take everywhere. */
export const URL_CHARS_MAX = 8_192;
/** `settle`: the longest quiet and the longest wait that may be asked for. Ours: under a request's 10 s. */
export const SETTLE_MS_MAX = 9_000;
/** A screenshot's longest edge that may be asked for: no panel is larger. */
export const SCREENSHOT_EDGE_MAX = 16_384;

/** Characters of one text batch (note 063, "Text other than ASCII"). */
export const TEXT_BATCH_CHARS_MAX = 2_000;
/** A text batch ends after this long with no character (note 063). */
export const TEXT_BATCH_QUIET_MS = 150;
/** Wheel notches of one message: Selkies' server clamps to the same. */
export const WHEEL_NOTCHES_MAX = 64;
/** Who holds control keeps it this long without a connection (protocols 1, "Control's owner"). */
export const AWAY_MS = 30_000;
/** The host closes the control connection after this long without use (note 063, "Where it listens"). */
export const CONTROL_IDLE_MS = 600_000;
/** Between two read-backs while a viewer watches (note 063, "A device box's state"). */
export const READ_BACK_INTERVAL_MS = 10_000;
/** Clocks that part by more are a resume from sleep (note 063, "When things stop and start"). */
export const RESUME_GAP_MS = 5_000;
/** A second crash of the device within this long leaves it failed (note 063). */
export const DEVICE_CRASH_WINDOW_MS = 300_000;
/** A device socket's path in bytes of UTF-8, without the closing zero (protocols 1). */
export const SOCKET_PATH_BYTES_MAX = { linux: 107, darwin: 103 } as const;
/** A viewer reconnects after these, then after the last one for ever (protocols 7). */
export const RECONNECT_MS = [250, 500, 1_000, 2_000, 4_000] as const;
