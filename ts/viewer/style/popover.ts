/** Popovers, sheets and what they are made of. */
import { css } from "lit";

export const popoverStyles = css`
  .scrim {
    position: absolute;
    z-index: 6;
    inset: 0;
    background: rgb(10 11 14 / 0.32);
    animation: dv-fade 140ms ease-out;
  }
  .pop {
    position: absolute;
    z-index: 6;
    /* In rem, so that text-only zoom widens it: 276 px at its plain size. */
    width: 17.25rem;
    max-width: calc(100% - 16px);
    max-height: calc(100% - 16px);
    overflow: hidden auto;
    padding: 6px;
    border-radius: 14px;
    background: var(--dv-surface);
    box-shadow: var(--dv-shadow-pop);
    color: var(--dv-text);
    outline: none;
    animation: dv-pop 140ms cubic-bezier(0.2, 0, 0, 1);
  }
  .pop-picker {
    width: 18.25rem;
  }
  .pop-picker.paged {
    width: 20rem;
  }
  .pop-details {
    width: 20rem;
  }
  .pop-type-text {
    width: 20.5rem;
  }
  .pop-text-size {
    width: 17rem;
  }
  .pop-text-size.android {
    width: 14.75rem;
  }
  @keyframes dv-pop {
    from {
      opacity: 0;
      transform: translateX(-4px) scale(0.98);
    }
  }
  .pop.sheet {
    left: 8px !important;
    right: 8px;
    top: auto !important;
    bottom: max(8px, env(safe-area-inset-bottom));
    width: auto;
    max-width: none;
    max-height: calc(100% - 48px);
    border-radius: 20px;
    padding: 6px 8px 8px;
    animation: dv-sheet 220ms cubic-bezier(0.2, 0, 0, 1);
  }
  @keyframes dv-sheet {
    from {
      transform: translateY(100%);
    }
  }
  /* Closed, and only seen: out by opacity alone, whatever it came in by. */
  .pop.leaving,
  .pop.sheet.leaving,
  .scrim.leaving {
    animation: dv-leave 90ms cubic-bezier(0.2, 0, 0, 1) forwards;
    pointer-events: none;
  }
  @keyframes dv-leave {
    to {
      opacity: 0;
    }
  }
  .grip {
    width: 100%;
    height: 20px;
    margin-top: -6px;
    display: grid;
    place-items: center;
    touch-action: none;
  }
  .grip::before {
    content: "";
    width: 36px;
    height: 4px;
    border-radius: 2px;
    background: var(--dv-control);
  }
  .paged .page {
    animation: dv-page 140ms cubic-bezier(0.2, 0, 0, 1);
  }
  @keyframes dv-page {
    from {
      opacity: 0;
      transform: translateX(12px);
    }
  }
  .pop-title {
    font: inherit;
    font-weight: 600;
    padding: 0;
  }
  .page > .pop-title {
    padding: 7px 10px 4px;
  }
  .title-line {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 12px;
    padding: 8px 10px 4px;
  }
  .title-line .back-row {
    padding: 0;
    min-height: 20px;
    width: auto;
  }
  .title-line .back-row:hover {
    background: none;
  }

  /* Rows. */
  .row-button,
  .row-line {
    display: flex;
    align-items: center;
    gap: 10px;
    width: 100%;
    min-height: 36px;
    padding: 0 10px;
    border-radius: 8px;
    text-align: left;
    transition: background-color 80ms linear;
  }
  .row-button.two-lines {
    padding: 7px 10px;
  }
  .row-button.two-lines .tick {
    align-self: flex-start;
  }
  .row-button.two-lines > .icon {
    align-self: flex-start;
    margin-top: 1px;
  }
  .row-button > .icon,
  .row-line > .icon {
    color: var(--dv-icon);
  }
  @media (hover: hover) {
    .row-button:hover {
      background: var(--dv-fill-1);
    }
  }
  .row-button:active {
    background: var(--dv-fill-2);
  }
  .row-words {
    flex: 1;
    min-width: 0;
    display: grid;
  }
  .row-line .label {
    flex: 1;
  }
  .label {
    font-weight: 500;
    min-width: 0;
  }
  .row-note {
    font-size: 0.75rem;
    line-height: 1rem;
    color: var(--dv-text-2);
  }
  .value {
    color: var(--dv-text-2);
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .row-button .value {
    font-weight: 500;
  }
  .row-button .icon-chevron-right {
    margin-left: -4px;
  }
  .row-button .icon-chevron-right,
  .back-row .icon {
    color: var(--dv-text-2);
    margin-right: -2px;
  }
  .back-row {
    gap: 8px;
  }
  .tick .icon {
    color: var(--dv-accent-text);
  }
  .pop-rule {
    height: 1px;
    margin: 6px 10px;
    background: var(--dv-line-2);
  }
  .pop-foot {
    padding: 4px 10px 8px;
    font-size: 0.75rem;
    line-height: 1rem;
    color: var(--dv-text-2);
    text-wrap: pretty;
  }
  .row-button:focus-visible,
  .segment:focus-visible,
  .tile:focus-visible,
  .step-arrow:focus-visible,
  .dots:focus-visible {
    outline: 2px solid var(--dv-focus);
    outline-offset: -2px;
  }

  /* Segments and switches. */
  .segments {
    flex: none;
    display: inline-flex;
    padding: 2px;
    border-radius: 9px;
    background: var(--dv-fill-1);
  }
  .segment {
    min-height: 24px;
    padding: 0 8px;
    border-radius: 7px;
    font-weight: 500;
    color: var(--dv-text-2);
  }
  .segment[aria-checked="true"] {
    background: var(--dv-raised);
    color: var(--dv-text);
    box-shadow:
      0 0 0 1px var(--dv-line),
      var(--dv-shadow-raised);
  }
  .displays .segment {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: 28px;
    padding: 0 10px;
  }
  .displays .segment .icon {
    color: inherit;
  }
  .displays-row {
    padding: 0 10px 8px;
  }
  .displays-row .segments {
    display: flex;
  }
  .displays-row .segment {
    flex: 1;
    min-height: 40px;
  }
  .switch {
    flex: none;
    width: 30px;
    height: 18px;
    padding: 2px;
    border-radius: 9px;
    background: var(--dv-control);
    transition: background-color 80ms linear;
  }
  .switch.on {
    background: var(--dv-accent);
    box-shadow: inset 0 0 0 1px var(--dv-switch-ring);
  }
  .knob {
    display: block;
    width: 14px;
    height: 14px;
    border-radius: 50%;
    background: #fff;
    transition: transform 140ms cubic-bezier(0.2, 0, 0, 1);
  }
  .switch.on .knob {
    transform: translateX(12px);
  }
`;
