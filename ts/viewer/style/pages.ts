/** The popovers' pages: text size, fold, fields, questions, battery, details. */
import { css } from "lit";

export const pageStyles = css`
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
    resize: none;
    field-sizing: content;
    min-height: 92px;
    line-height: 1.25rem;
  }
  .type-form {
    padding: 1px 10px 6px;
  }
  .type-form .title-line {
    padding: 6px 0 8px;
  }
  .type-form .area {
    width: calc(100% + 4px);
    margin: 0 -2px;
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

  /* Sheets and touch: larger. Last, as these overrule what is above. */
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
