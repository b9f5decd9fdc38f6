/** What the screen says: on black, or on a plate over the picture. */
import { css } from "lit";

export const wordStyles = css`
  /* Words on the screen. */
  .words {
    position: absolute;
    z-index: 2;
    display: grid;
    place-items: center;
    pointer-events: none;
    overflow: hidden;
  }
  .words-box {
    display: flex;
    flex-direction: column;
    align-items: center;
    gap: 4px;
    max-width: calc(100% - 40px);
    max-height: 100%;
    text-align: center;
    text-wrap: balance;
    color: #b6b8c1;
    overflow-wrap: anywhere;
  }
  .words-box > .icon {
    color: #fff;
    margin-bottom: 4px;
  }
  .words-box .heading,
  .words-box .alone {
    color: #fff;
  }
  .words-box .heading {
    font-size: 1.0625rem;
    line-height: 1.375rem;
    font-weight: 600;
    letter-spacing: -0.014em;
  }
  .words-box .alarm {
    color: #ff7c88;
    margin-bottom: 4px;
  }
  .words-box .button {
    pointer-events: auto;
    margin-top: 12px;
  }
  .words-box .button + p {
    margin-top: 8px;
  }
  .words-box .said-by-server {
    pointer-events: auto;
    user-select: text;
    -webkit-user-select: text;
  }
  .words-box code {
    margin-top: 4px;
    font: 400 0.6875rem/0.875rem var(--dv-mono);
    color: #9a9ca6;
    pointer-events: auto;
    user-select: text;
    -webkit-user-select: text;
  }
  .words-box .count {
    margin-top: 8px;
    font-variant-numeric: tabular-nums;
  }
  .plate {
    padding: 18px 20px;
    border-radius: 18px;
    background: rgb(14 15 18 / 0.8);
    backdrop-filter: blur(14px);
    -webkit-backdrop-filter: blur(14px);
    box-shadow: inset 0 0 0 1px rgb(255 255 255 / 0.08);
  }
  .plate .button {
    min-width: 104px;
  }
  .track {
    width: 112px;
    height: 3px;
    margin-top: 14px;
    border-radius: 2px;
    overflow: hidden;
    background: rgb(255 255 255 / 0.18);
  }
  .slide {
    width: 33.34%;
    height: 100%;
    border-radius: 2px;
    background: #fff;
    animation: dv-slide 1.2s cubic-bezier(0.4, 0, 0.6, 1) infinite;
  }
  @keyframes dv-slide {
    from {
      transform: translateX(-100%);
    }
    to {
      transform: translateX(300%);
    }
  }
  .fill {
    height: 100%;
    border-radius: 2px;
    background: #fff;
    transform-origin: 0 50%;
    transition: transform 250ms linear;
  }
  .steps {
    display: grid;
    gap: 8px;
    margin-top: 16px;
    text-align: left;
  }
  .steps li {
    display: grid;
    grid-template-columns: 16px 1fr;
    align-items: center;
    gap: 8px;
  }
  .steps .now {
    color: #fff;
    font-weight: 500;
  }
  .steps .later {
    color: #8b8d97;
  }
  .steps .dot {
    width: 4px;
    height: 4px;
    margin: auto;
    border-radius: 50%;
    background: currentColor;
  }
  @media (prefers-reduced-motion: reduce) {
    .slide {
      animation: none;
      transform: translateX(100%);
    }
  }
`;
