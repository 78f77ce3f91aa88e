import { toPlainText } from '../markdown/plain-text.js';
import type { EmailLayout } from './email-layout.js';

/** Renders an email as plain text, for readers and programs that show no HTML. */
export function renderEmailText({
  label,
  title,
  text,
  facts,
  button,
  note,
  unsubscribe,
}: EmailLayout): string {
  const parts = [
    label === undefined ? title : `${label}: ${title}`,
    'plain' in text ? text.plain : toPlainText(text.markdown),
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    button === undefined ? '' : `${button.text}:\n${button.url}`,
    `-- \n${note}${unsubscribe === undefined ? '' : `\n${unsubscribe.text}: ${unsubscribe.url}`}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
