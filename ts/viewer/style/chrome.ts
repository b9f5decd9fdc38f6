/** The top bar, buttons and the stage's furniture. */
import { css } from "lit";

export const chromeStyles = css`
  :host {
    display: block;
    position: relative;
    width: 100%;
    height: 100%;
    min-height: 0;
    font: 400 var(--dv-body-size) / var(--dv-body-line) var(--dv-font);
    color: var(--dv-text);
    background: var(--dv-stage);
    -webkit-font-smoothing: antialiased;
    -webkit-tap-highlight-color: transparent;
    text-size-adjust: 100%;
    overflow: hidden;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  p,
  ol,
  h2 {
    margin: 0;
    padding: 0;
  }
  ol {
    list-style: none;
  }
  .panel {
    display: flex;
    flex-direction: column;
    width: 100%;
    height: 100%;
    min-height: 0;
  }
  .icon {
    flex: none;
    display: block;
  }
  .icon-loader-circle {
    animation: dv-spin 1s linear infinite;
  }
  @keyframes dv-spin {
    to {
      transform: rotate(360deg);
    }
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  /* Top bar. */
  .top {
    position: relative;
    z-index: 5;
    flex: none;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 4px 8px;
    min-height: 48px;
    padding: 6px 10px 6px 8px;
    background: var(--dv-chrome);
    border-bottom: 1px solid var(--dv-line-2);
  }
  .left,
  .right {
    display: flex;
    align-items: center;
    gap: 8px;
    min-width: 0;
  }
  .left {
    flex: 0 1 auto;
  }
  .right {
    flex: 0 0 auto;
    margin-left: auto;
    max-width: 100%;
  }
  button {
    font: inherit;
    color: inherit;
    margin: 0;
    border: 0;
    background: none;
    cursor: default;
    touch-action: manipulation;
    user-select: none;
    -webkit-user-select: none;
  }
  button:focus {
    outline: none;
  }
  .top-button {
    display: inline-flex;
    align-items: center;
    gap: 8px;
    min-width: 0;
    min-height: 32px;
    padding: 0 10px;
    border-radius: 9px;
    font-weight: 500;
    transition: background-color 80ms linear;
  }
  .top-button .icon {
    color: var(--dv-icon);
  }
  .top-button.only-icon {
    padding: 0;
    width: 36px;
    justify-content: center;
  }
  .top-button.quiet {
    padding: 0 8px;
    font-weight: 400;
    font-size: 0.75rem;
    color: var(--dv-text-2);
    font-variant-numeric: tabular-nums;
  }
  .picker .name {
    font-weight: 600;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .picker .runtime {
    font-weight: 400;
    color: var(--dv-text-2);
    white-space: nowrap;
  }
  @media (hover: hover) {
    .top-button:hover {
      background: var(--dv-fill-1);
    }
  }
  .top-button:active,
  .top-button[aria-expanded="true"] {
    background: var(--dv-fill-2);
  }
  .status {
    display: inline-flex;
    align-items: center;
    gap: 8px;
    min-height: 32px;
    min-width: 0;
    color: var(--dv-text-2);
    padding: 0 2px;
    border-radius: 9px;
  }
  .status .icon {
    color: var(--dv-text-2);
  }
  .sentence {
    min-width: 0;
  }
  .agent-dot {
    flex: none;
    width: 8px;
    height: 8px;
    margin: 4px;
    border-radius: 50%;
    background: var(--dv-agent);
    box-shadow: 0 0 0 3px color-mix(in srgb, var(--dv-agent) 26%, transparent);
  }
  .capsule {
    display: inline-flex;
    align-items: center;
    gap: 8px;
    min-height: 34px;
    padding: 3px 3px 3px 11px;
    border-radius: 10px;
    background: var(--dv-accent-tint);
    color: var(--dv-accent-text);
    font-weight: 500;
    animation: dv-fade 140ms ease-out;
  }
  .capsule .sentence {
    margin-right: 4px;
  }
  @keyframes dv-fade {
    from {
      opacity: 0;
    }
  }
  .control-strip {
    position: relative;
    z-index: 5;
    flex: none;
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 48px;
    padding: 6px 8px 6px 14px;
    background: var(--dv-accent-tint);
    color: var(--dv-accent-text);
    font-weight: 500;
    border-bottom: 1px solid var(--dv-line-2);
  }
  .control-strip .sentence {
    flex: 1;
    text-wrap: balance;
  }

  /* Buttons. */
  .button {
    flex: none;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    min-height: 32px;
    padding: 0 11px;
    border-radius: 9px;
    font-weight: 600;
    white-space: nowrap;
    position: relative;
    isolation: isolate;
  }
  .button::after {
    content: "";
    position: absolute;
    inset: 0;
    border-radius: inherit;
    opacity: 0;
    background: #000;
    transition: opacity 80ms linear;
    pointer-events: none;
  }
  .button.small {
    min-height: 28px;
    border-radius: 7px;
  }
  .button.primary {
    background: var(--dv-accent);
    color: var(--dv-on-accent);
  }
  .button.secondary {
    background: var(--dv-raised);
    color: var(--dv-text);
    box-shadow:
      0 0 0 1px var(--dv-line),
      var(--dv-shadow-raised);
  }
  .button.secondary::after {
    background: var(--dv-text);
  }
  @media (hover: hover) {
    .button:hover::after {
      opacity: 0.06;
    }
  }
  .button:active::after {
    opacity: 0.12;
  }
  .button:disabled {
    opacity: 0.6;
  }
  .button.take.pointed-at::after {
    animation: dv-point 300ms ease-out;
  }
  @keyframes dv-point {
    50% {
      opacity: 0.1;
    }
  }
  .button.on-screen {
    min-height: 36px;
    padding: 0 16px;
    border-radius: 10px;
    background: rgb(255 255 255 / 0.94);
    color: #18191d;
  }
  .button.on-screen::after {
    display: none;
  }
  @media (hover: hover) {
    .button.on-screen:hover {
      background: rgb(255 255 255 / 0.86);
    }
  }
  .button.on-screen:active {
    background: rgb(255 255 255 / 0.78);
  }
  /* A button that waits for an answer keeps its width and turns its icon in place of its words, after a while. */
  .button .wait {
    position: absolute;
    inset: 0;
    display: grid;
    place-items: center;
    opacity: 0;
  }
  .button.waits .does {
    opacity: 0;
    transition: opacity 0ms linear 300ms;
  }
  .button.waits .wait {
    opacity: 1;
    transition: opacity 0ms linear 300ms;
  }
  .button:focus-visible,
  .top-button:focus-visible {
    outline: 2px solid var(--dv-focus);
    outline-offset: 2px;
  }
  .button.on-screen:focus-visible {
    outline-color: #fff;
  }

  @media (pointer: coarse) {
    .top {
      min-height: 52px;
      padding: 4px 8px;
    }
    .top-button,
    .status {
      min-height: 44px;
    }
    .top-button.only-icon {
      width: 44px;
    }
    .button {
      min-height: 34px;
    }
    .button.on-screen {
      min-height: 44px;
    }
    .capsule {
      min-height: 40px;
    }
    /* What is drawn stays small; what can be pressed is 44 px. */
    .button::before {
      content: "";
      position: absolute;
      inset: 50% -2px;
      height: 44px;
      min-width: 44px;
      translate: 0 -50%;
    }
  }

  /* The live regions are heard, never seen. */
  .said {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation-duration: 1ms !important;
      animation-iteration-count: 1 !important;
      transition-duration: 1ms !important;
    }
    .icon-loader-circle {
      animation: none;
    }
  }
`;
