/** The reader's own colours. Last of the sheets, so that it has the last word. */
import { css } from "lit";

export const forcedStyles = css`
  @media (forced-colors: active) {
    .button,
    .top-button,
    .target,
    .bar,
    .pop,
    .strip,
    .field {
      border: 1px solid ButtonText;
      box-shadow: none !important;
    }
    .icon {
      color: ButtonText;
    }
    .tile[aria-checked="true"],
    .segment[aria-checked="true"] {
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }
  }
`;
