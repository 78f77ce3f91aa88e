/** The tag that the server writes numbers and times by. */
export const locale =
  document.body.dataset['locale'] ??
  document.documentElement.dataset['locale'] ??
  document.documentElement.lang;

const dateParts = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const timeParts = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
const timeFormats: Record<string, Intl.DateTimeFormatOptions> = {
  datetime: { ...dateParts, ...timeParts },
  date: dateParts,
  time: timeParts,
};

/** Writes times in the viewer's zone; as it was written in UTC it is in the title. */
export function localiseTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
    const options = timeFormats[element.dataset['local'] ?? ''];
    const at = Date.parse(element.dateTime);
    if (options === undefined || Number.isNaN(at)) continue;
    element.title = element.textContent;
    element.textContent = new Intl.DateTimeFormat(locale, options).format(at);
  }
}
