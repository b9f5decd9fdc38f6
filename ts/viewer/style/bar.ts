/** The bar of controls beside the device, and what speaks of them: the tooltip and the toast. */
import { css } from "lit";

export const barStyles = css`
  .bar {
    position: absolute;
    z-index: 3;
    left: 0;
    top: 0;
    display: flex;
    gap: 2px;
    padding: 4px;
    background: var(--dv-surface);
    box-shadow: var(--dv-shadow-bar);
    border-radius: 14px;
  }
  .bar.beside {
    flex-direction: column;
  }
  .bar.glides {
    transition: transform 300ms cubic-bezier(0.3, 0, 0.1, 1);
  }
  .bar.row {
    gap: 4px;
    border-radius: 18px;
  }
  .target {
    flex: none;
    display: grid;
    place-items: center;
    width: 36px;
    height: 36px;
    padding: 0;
    border-radius: 10px;
    color: var(--dv-icon);
    transition: background-color 80ms linear;
  }
  .row .target {
    width: 44px;
    height: 44px;
    border-radius: 14px;
  }
  @media (hover: hover) {
    .target:hover {
      background: var(--dv-fill-1);
    }
  }
  .target:active {
    background: var(--dv-fill-2);
  }
  .target.open {
    background: var(--dv-fill-2);
    color: var(--dv-text);
  }
  .target[aria-disabled="true"] {
    background: none;
  }
  .target[aria-disabled="true"] .icon {
    opacity: 0.38;
  }
  .target:focus-visible {
    outline: 2px solid var(--dv-focus);
    outline-offset: -2px;
  }
  .rule {
    flex: none;
    background: var(--dv-line);
  }
  .beside .rule {
    height: 1px;
    margin: 3px 8px;
  }
  .row .rule {
    width: 1px;
    margin: 10px 2px;
  }
  @media (pointer: coarse) {
    .bar.beside {
      border-radius: 18px;
    }
    .beside .target {
      width: 44px;
      height: 44px;
      border-radius: 14px;
    }
  }

  /* Tooltip and toast. */
  .tip {
    position: absolute;
    z-index: 7;
    left: 0;
    top: 0;
    max-width: 280px;
    padding: 5px 9px;
    border-radius: 8px;
    font-size: 0.75rem;
    line-height: 1rem;
    font-weight: 500;
    background: var(--dv-tip);
    color: var(--dv-on-tip);
    pointer-events: none;
  }
  .tip .tip-more {
    margin-left: 8px;
    font-weight: 400;
    opacity: 0.78;
  }
  .toast-place {
    position: absolute;
    z-index: 8;
    left: 16px;
    right: 16px;
    bottom: 12px;
    display: flex;
    justify-content: center;
    pointer-events: none;
  }
  .toast {
    display: flex;
    align-items: center;
    gap: 10px;
    max-width: min(100%, 480px);
    padding: 9px 14px;
    border-radius: 10px;
    background: var(--dv-tip);
    color: var(--dv-on-tip);
    box-shadow: var(--dv-shadow-pop);
    pointer-events: auto;
    user-select: text;
    -webkit-user-select: text;
    animation: dv-rise 160ms ease-out;
  }
  .toast button {
    flex: none;
    display: grid;
    place-items: center;
    width: 24px;
    height: 24px;
    margin: -3px -6px -3px 0;
    padding: 0;
    border-radius: 7px;
  }
  .toast button:focus-visible {
    outline: 2px solid currentColor;
  }
  @keyframes dv-rise {
    from {
      opacity: 0;
      transform: translateY(8px);
    }
  }
`;
