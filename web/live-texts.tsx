import type { PageContext } from './page-context.js';

/**
 * What the script says, and where it says that the page has changed. `{state}`, `{duration}` and `{rate}` are for it
 * to fill in; `data-locale` is the tag for `Intl`.
 */
export function LiveTexts({ page: { texts, format, own } }: { page: PageContext }) {
  return (
    <div
      class="visually-hidden"
      role="status"
      aria-live="polite"
      data-announce=""
      data-locale={format.locale}
      data-text-changed={texts.changed}
      data-text-good={texts.day.good}
      data-text-down={texts.day.down}
      data-text-failed={texts.day.failed}
      data-text-unmeasured={texts.day.unmeasured}
      {...own}
    />
  );
}
