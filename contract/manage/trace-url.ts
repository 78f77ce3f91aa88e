/** The most characters of the address of traces of a page. */
export const traceUrlChars = 500;

/**
 * Returns the address of a trace by the address of traces of its page, such as `https://tempo.example/trace/{traceId}`. Null
 * without one, and for a sample without the ids that the address names.
 */
export function traceHref(
  template: string | null,
  ids: Readonly<Record<'traceId' | 'spanId', string>>,
): string | null {
  if (template === null || ids.traceId === '') return null;
  if (ids.spanId === '' && template.includes('{spanId}')) return null;
  return template
    .replaceAll('{traceId}', () => encodeURIComponent(ids.traceId))
    .replaceAll('{spanId}', () => encodeURIComponent(ids.spanId));
}
