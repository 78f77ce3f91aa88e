import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isLive, widerRange } from '../address/range.js';
import { useAddress } from '../address/use-address.js';
import { useFormat } from '../format.js';
import { Icon } from '../kit/icons.js';
import { useTexts } from '../texts.js';
import { RangePicker } from './range-picker.js';
import { shellTexts } from './texts.js';
import { usePlaceFocus } from './use-place-focus.js';

/** A step up from the screen, such as the service of an endpoint. */
export type Crumb = { title: string; href: string };

type ScreenProps = {
  title: string;
  crumbs?: readonly Crumb[];
  /** Whether the figures are of the time range, which can then be chosen. */
  hasRange?: boolean;
  /** Whether the figures follow by themselves while the range is up to now; they do by default. */
  isPolled?: boolean;
  /** Seconds of a point in the charts. */
  stepSeconds?: number | undefined;
  /** Buttons beside the time range. */
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** The head of a screen, and what is below it. The title of the tab follows. */
export function Screen({
  title,
  crumbs = [],
  hasRange = false,
  isPolled = true,
  stepSeconds,
  actions,
  children,
}: ScreenProps) {
  const texts = useTexts(shellTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  usePlaceFocus(heading);
  useEffect(() => {
    document.title = `${title} · Heartline`;
  }, [title]);
  return (
    <>
      <header class="screen-head">
        <div class="screen-title">
          {crumbs.length > 0 && (
            <nav class="crumbs" aria-label={texts.breadcrumb}>
              <ol>
                {crumbs.map((crumb) => (
                  <li key={crumb.href}>
                    <a href={crumb.href} dir="auto">
                      {crumb.title}
                    </a>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1 dir="auto" ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        <div class="screen-actions">
          {actions}
          {hasRange && <RangeState {...{ isPolled, stepSeconds }} />}
          {hasRange && <ZoomOut />}
          {hasRange && <RangePicker />}
        </div>
      </header>
      <div class="screen-body">{children}</div>
    </>
  );
}

type RangeStateProps = { isPolled: boolean; stepSeconds: number | undefined };

function RangeState({ isPolled, stepSeconds }: RangeStateProps) {
  const texts = useTexts(shellTexts);
  const { span } = useFormat();
  const { range } = useAddress();
  const live = isLive(range);
  return (
    <span class={live && isPolled ? 'range-state live' : 'range-state'}>
      {live ? isPolled && texts.live : texts.paused}
      {stepSeconds !== undefined && <span class="note">{texts.range.step({ span: span(stepSeconds) })}</span>}
    </span>
  );
}

/** The way back out of a chart, for people who came in by a link as well. */
function ZoomOut() {
  const { zoomOut } = useTexts(shellTexts).range;
  const { range, choose } = useAddress();
  return (
    <button
      type="button"
      class="icon-button"
      title={zoomOut}
      aria-label={zoomOut}
      onClick={() => choose(widerRange(range, Date.now()) ?? range)}
    >
      <Icon name="zoomOut" />
    </button>
  );
}
