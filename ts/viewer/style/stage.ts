/** The stage, the device on it, and the words on the screen. */
import { css } from "lit";

export const stageStyles = css`
  .stage-frame {
    position: relative;
    flex: 1;
    min-height: 0;
    isolation: isolate;
  }
  .stage {
    position: absolute;
    inset: 0;
    overflow: hidden;
    background: radial-gradient(72% 62% at 50% 46%, var(--dv-glow), var(--dv-stage) 78%);
  }
  .stage:focus-visible {
    outline: 2px solid var(--dv-focus);
    outline-offset: -2px;
  }
  .stage.scrolls {
    overflow: auto;
    overscroll-behavior: contain;
  }
  .content {
    position: relative;
    min-width: 100%;
    min-height: 100%;
  }

  /* The device. */
  .device {
    position: absolute;
    width: 0;
    height: 0;
    z-index: 1;
  }
  .shadow {
    position: absolute;
    background: #2e2f34;
    box-shadow: var(--dv-shadow-body);
  }
  .shadow.bare {
    background: #000;
    box-shadow: var(--dv-shadow-bar);
  }
  .turn,
  .metal,
  .screen,
  .cutout,
  .crease,
  .half,
  .half-inner,
  .fold,
  .leaf,
  .back {
    position: absolute;
  }
  .metal svg,
  .cutout svg,
  .crease svg {
    display: block;
    overflow: visible;
  }
  .cutout,
  .crease {
    pointer-events: none;
  }
  .crease {
    opacity: 0;
    transition: opacity 200ms ease-out;
  }
  .crease.on {
    opacity: 1;
  }
  /* Black glass has no crease to see, and words stand there. */
  .turn.blank .crease {
    opacity: 0;
  }
  .crease.shaded {
    left: 0;
    top: 0;
  }
  .screen {
    overflow: hidden;
    background: #000;
    isolation: isolate;
  }
  .picture {
    position: absolute;
    left: 50%;
    top: 50%;
    display: block;
    transform: translate(-50%, -50%);
  }
  .sharp {
    position: absolute;
    left: 50%;
    top: 50%;
  }
  .picture.elsewhere ~ .sharp,
  .picture.gone ~ .sharp {
    display: none;
  }
  .picture.whole {
    width: 100%;
    height: 100%;
  }
  .screen.dimmed {
    filter: brightness(0.42) saturate(0.8);
  }
  .picture.gone,
  .picture.elsewhere {
    visibility: hidden;
  }
  .veil {
    position: absolute;
    inset: 0;
    background: #000;
    opacity: 0;
    pointer-events: none;
  }
  .veil.held {
    opacity: 0.3;
    transition: opacity 120ms linear 300ms;
  }
  .ring {
    position: absolute;
    inset: -7px;
    border: 2px solid var(--dv-focus);
    opacity: 0;
    pointer-events: none;
  }
  .keyboard-on-screen .ring {
    opacity: 1;
  }
  .over {
    position: absolute;
    pointer-events: none;
  }
  .no-device-outline {
    position: absolute;
    border: 1.5px dashed var(--dv-control);
    display: grid;
    place-content: center;
    text-align: center;
    gap: 4px;
    padding: 16px;
    color: var(--dv-text-2);
  }
  .no-device-outline .heading {
    color: var(--dv-text);
    font-weight: 600;
    font-size: 1.0625rem;
    line-height: 1.375rem;
    letter-spacing: -0.014em;
  }

  /* A fold under way. */
  .turn.folding,
  .shadow.folding {
    opacity: 0;
  }
  .fold {
    perspective: 1400px;
    perspective-origin: 50% 50%;
  }
  .half {
    overflow: hidden;
  }
  .leaf {
    inset: 0;
    transform-style: preserve-3d;
  }
  .leaf > .half,
  .back {
    backface-visibility: hidden;
  }
  .back {
    background: #060607;
    border: 4px solid #4a4c53;
    border-right: 0 !important;
  }
  .shade {
    position: absolute;
    inset: 0;
    background: #000;
    opacity: 0;
  }

  /* Touches of others, and one's own pinch. */
  .touch,
  .disc {
    position: absolute;
    left: -18px;
    top: -18px;
    width: 36px;
    height: 36px;
    border-radius: 50%;
  }
  .touch {
    background: rgb(122 69 222 / 0.46);
    box-shadow:
      inset 0 0 0 1.5px rgb(255 255 255 / 0.95),
      0 0 0 1px rgb(40 16 90 / 0.4),
      0 2px 6px rgb(0 0 0 / 0.24);
  }
  .touch.person {
    background: rgb(42 91 224 / 0.46);
    box-shadow:
      inset 0 0 0 1.5px rgb(255 255 255 / 0.95),
      0 0 0 1px rgb(14 34 96 / 0.4),
      0 2px 6px rgb(0 0 0 / 0.24);
  }
  .trail {
    position: absolute;
    opacity: 0.62;
  }
  .disc {
    background: #7a45de;
  }
  .disc.person {
    background: #2a5be0;
  }
  .heads {
    position: absolute;
  }

  /* What takes touches and keys: over the picture, under the words. */
  .app {
    position: absolute;
    z-index: 1;
    outline: none;
    touch-action: none;
    user-select: none;
    -webkit-user-select: none;
    -webkit-touch-callout: none;
  }
  /* Without control a finger moves the stage of a device that is larger than it. */
  .app.pans {
    touch-action: pan-x pan-y;
  }
  .keys {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    margin: 0;
    padding: 0;
    border: 0;
    outline: none;
    resize: none;
    overflow: hidden;
    opacity: 0;
    color: transparent;
    caret-color: transparent;
    background: transparent;
    pointer-events: none;
    font-size: 16px;
  }

  /* Lines of words on the stage. */
  .caption,
  .note {
    position: absolute;
    left: 0;
    right: 0;
    z-index: 2;
    padding: 0 16px;
    font-size: 0.75rem;
    line-height: 1rem;
    font-weight: 500;
    text-align: center;
    color: var(--dv-text-2);
    pointer-events: none;
  }
  .caption {
    animation: dv-fade 140ms ease-out;
  }
  .note {
    font-weight: 400;
  }
  .strip-place {
    position: absolute;
    z-index: 5;
    top: 16px;
    left: 16px;
    right: 16px;
    display: flex;
    justify-content: center;
    pointer-events: none;
  }
  .strip {
    display: flex;
    align-items: center;
    gap: 10px;
    max-width: 640px;
    padding: 8px 12px 8px 14px;
    border-radius: 10px;
    background: var(--dv-surface);
    box-shadow: var(--dv-shadow-bar);
    color: var(--dv-text);
    pointer-events: auto;
  }
  .strip .icon {
    color: var(--dv-icon);
  }
  .strip.care .icon {
    color: var(--dv-care);
  }
`;
