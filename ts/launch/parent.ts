/** A child's side of the channel to the process that started it. */
export interface ParentLink {
  /** Says that this process does its work now. */
  tell(message: object): void;
  /** Runs once the parent is gone, however it ended. */
  gone(run: () => void): void;
}

type Channel = Pick<NodeJS.Process, "send" | "connected" | "once">;

/** Null when nobody that we know started this process. */
export function parentLink(channel: Channel = process): ParentLink | null {
  if (channel.send === undefined || channel.connected !== true) return null;
  return {
    // A parent that ends at this moment is told by `gone`; the failed message is no news.
    tell: (message) => void channel.send?.(message, () => {}),
    gone: (run) => void channel.once("disconnect", run),
  };
}
