import { toPlainText } from '../markdown/plain-text.js';
import type { EmailLayout } from './email-layout.js';

export { toPlainText } from '../markdown/plain-text.js';

/** Renders an email as plain text, for readers and programs that show no HTML. */
export function renderEmailText({
  label,
  title,
  text,
  facts,
  button,
  note,
  manage,
  unsubscribe,
}: EmailLayout): string {
  const parts = [
    label === undefined ? title : `${label}: ${title}`,
    'plain' in text ? text.plain : toPlainText(text.markdown),
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    button === undefined ? '' : `${button.text}:\n${button.url}`,
    [
      '-- ',
      note,
      ...[manage, unsubscribe].flatMap((link) => (link ? [`${link.text}: ${link.url}`] : [])),
    ].join('\n'),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
