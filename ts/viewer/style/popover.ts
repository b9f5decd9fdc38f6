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
    padding: 8px 10px 6px;
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
    padding: 6px 10px;
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
    padding: 2px 10px 8px;
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
    padding: 0 10px;
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
    gap: 7px;
    min-height: 28px;
    padding: 0 11px;
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

  /* Text size. */
  .steps-line {
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 2px 4px;
  }
  .step-arrow {
    flex: none;
    display: grid;
    place-items: center;
    width: 36px;
    height: 36px;
    padding: 0;
    border-radius: 10px;
    color: var(--dv-icon);
  }
  @media (hover: hover) {
    .step-arrow:hover {
      background: var(--dv-fill-1);
    }
  }
  .step-arrow[aria-disabled="true"] .icon {
    opacity: 0.38;
  }
  .dots {
    position: relative;
    flex: 1;
    height: 36px;
    margin: 0 6px;
    border-radius: 10px;
    outline-offset: 2px;
  }
  .dots-track {
    position: absolute;
    left: 0;
    right: 0;
    top: 17px;
    height: 2px;
    border-radius: 1px;
    background: var(--dv-fill-2);
    overflow: hidden;
  }
  .dots-fill {
    height: 100%;
    transform-origin: 0 50%;
    background: color-mix(in srgb, var(--dv-accent-line) 24%, transparent);
  }
  .dots .dot {
    position: absolute;
    top: 15px;
    width: 6px;
    height: 6px;
    margin-left: -3px;
    border-radius: 50%;
    background: var(--dv-control);
  }
  .dots .dot.under {
    background: var(--dv-accent-line);
  }
  .dots .dot.now {
    top: 12px;
    width: 12px;
    height: 12px;
    margin-left: -6px;
    background: var(--dv-accent-line);
    box-shadow: 0 0 0 3px color-mix(in srgb, var(--dv-accent-line) 30%, transparent);
  }
  .steps-under {
    position: relative;
    height: 14px;
    margin: -4px 50px 4px;
    font-size: 0.6875rem;
    line-height: 0.875rem;
    color: var(--dv-text-2);
  }
  .steps-under span {
    position: absolute;
    right: 0;
    left: calc(var(--from) * 100%);
    text-align: center;
    white-space: nowrap;
  }

  /* Fold. */
  .tiles {
    display: flex;
    gap: 6px;
    padding: 2px 6px 6px;
  }
  .tile {
    flex: 1;
    display: grid;
    place-items: center;
    align-content: center;
    gap: 2px;
    min-height: 84px;
    padding: 4px;
    border-radius: 10px;
    background: var(--dv-fill-1);
    font-weight: 500;
  }
  .tile svg {
    fill: none;
    stroke: currentColor;
    stroke-width: 1.6;
    stroke-linejoin: round;
    stroke-linecap: round;
    color: var(--dv-icon);
  }
  .tile .quiet {
    opacity: 0.45;
  }
  .tile[aria-checked="true"] {
    background: var(--dv-accent-tint);
    color: var(--dv-accent-text);
    font-weight: 600;
    box-shadow: inset 0 0 0 1.5px var(--dv-accent-line);
  }
  .tile[aria-checked="true"] svg {
    color: inherit;
  }

  /* Fields. */
  .place-fields {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 8px;
    padding: 2px 10px 8px;
  }
  .field-label {
    display: grid;
    gap: 4px;
    font-size: 0.75rem;
    line-height: 1rem;
    color: var(--dv-text-2);
    min-width: 0;
  }
  .field {
    width: 100%;
    min-width: 0;
    min-height: 34px;
    padding: 0 10px;
    border: 0;
    border-radius: 8px;
    font: inherit;
    font-size: var(--dv-body-size);
    color: var(--dv-text);
    background: none;
    box-shadow: inset 0 0 0 1px var(--dv-control);
    outline: none;
    font-variant-numeric: tabular-nums;
  }
  .field::placeholder {
    color: var(--dv-text-2);
    opacity: 1;
  }
  .field.refused {
    box-shadow: inset 0 0 0 2px var(--dv-bad);
  }
  .field:focus {
    box-shadow: inset 0 0 0 2px var(--dv-focus);
  }
  .field-error {
    padding: 0 10px 8px;
    font-size: 0.75rem;
    line-height: 1rem;
    color: var(--dv-bad);
  }
  .link-form .field-error {
    padding: 6px 0 0;
  }
  .area {
    display: block;
    height: 92px;
    max-height: 200px;
    padding: 8px 10px;
    resize: vertical;
    field-sizing: content;
    min-height: 92px;
    line-height: 1.25rem;
  }
  .type-form {
    padding: 2px 10px 8px;
  }
  .type-form .title-line {
    padding: 6px 0 8px;
  }
  .type-form .title-line .value {
    font-size: 0.75rem;
  }
  .link-form {
    padding: 4px 10px 8px;
  }
  .foot {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 8px;
    margin-top: 10px;
    font-size: 0.75rem;
    line-height: 1rem;
    color: var(--dv-text-2);
  }
  .foot .button {
    font-size: var(--dv-body-size);
  }
  .foot.buttons {
    justify-content: flex-end;
    margin-top: 14px;
  }
  .ask {
    padding: 10px;
  }
  .ask > .icon {
    color: var(--dv-icon);
    margin-bottom: 8px;
  }
  .ask p {
    margin-top: 4px;
    color: var(--dv-text-2);
    text-wrap: pretty;
  }

  /* Battery. */
  .slider-block {
    padding: 4px 10px 6px;
  }
  .slider-head {
    display: flex;
    justify-content: space-between;
    font-weight: 500;
  }
  .slider-head .number {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .slider {
    -webkit-appearance: none;
    appearance: none;
    width: 100%;
    height: 32px;
    margin: 0;
    background: none;
    border-radius: 8px;
  }
  .slider::-webkit-slider-runnable-track {
    height: 4px;
    border-radius: 2px;
    background: linear-gradient(to right, var(--dv-accent-line) var(--share), var(--dv-control) var(--share));
  }
  .slider::-moz-range-track {
    height: 4px;
    border-radius: 2px;
    background: linear-gradient(to right, var(--dv-accent-line) var(--share), var(--dv-control) var(--share));
  }
  .slider::-webkit-slider-thumb {
    -webkit-appearance: none;
    width: 18px;
    height: 18px;
    margin-top: -7px;
    border-radius: 50%;
    background: #fff;
    box-shadow:
      0 0 0 1px var(--dv-line),
      0 1px 3px rgb(0 0 0 / 0.3);
  }
  .slider::-moz-range-thumb {
    width: 18px;
    height: 18px;
    border: 0;
    border-radius: 50%;
    background: #fff;
    box-shadow:
      0 0 0 1px var(--dv-line),
      0 1px 3px rgb(0 0 0 / 0.3);
  }
  .slider:focus-visible {
    outline: 2px solid var(--dv-focus);
    outline-offset: -2px;
  }

  /* Details. */
  .details {
    margin: 0;
    padding: 2px 10px 8px;
    display: grid;
    gap: 8px;
  }
  .detail {
    display: flex;
    justify-content: space-between;
    gap: 16px;
  }
  .detail dt {
    flex: none;
    color: var(--dv-text-2);
  }
  .detail dd {
    margin: 0;
    min-width: 0;
    text-align: right;
    overflow-wrap: anywhere;
    font-variant-numeric: tabular-nums;
  }
  .histogram {
    display: flex;
    align-items: flex-end;
    gap: 3px;
    height: 48px;
    padding: 4px 10px 4px;
  }
  .histogram span {
    flex: 1;
    border-radius: 2px;
    background: var(--dv-accent-line);
  }

  .sheet .row-button,
  .sheet .row-line {
    min-height: 44px;
    padding: 0 12px;
  }
  .sheet .row-button.two-lines {
    padding: 6px 12px;
  }
  .sheet .pop-rule {
    margin: 6px 12px;
  }
  .sheet .segment {
    min-height: 32px;
    padding: 0 14px;
  }
  .sheet .field {
    min-height: 44px;
  }
  .sheet .tile {
    min-height: 88px;
  }
  @media (pointer: coarse) {
    .row-button,
    .row-line {
      min-height: 44px;
    }
    .field {
      min-height: 44px;
    }
    .segment {
      min-height: 32px;
    }
    .step-arrow {
      width: 44px;
      height: 44px;
    }
    .dots {
      height: 44px;
    }
    .dots-track {
      top: 21px;
    }
    .dots .dot {
      top: 19px;
    }
    .dots .dot.now {
      top: 16px;
    }
  }
`;
