import type { Description, Option } from './description.js';
import { optionName, usageOf } from './usage.js';

const columnsMax = 118;
/** A longer option gets a line of its own above its explanation. */
const labelCharsMax = 26;

/** Returns the text of `heartline COMMAND --help`: the usage line, the paragraphs, and the options in columns. */
export function formatHelp(description: Description): string {
  const { help, options = {}, json } = description;
  const rows = Object.entries(options).map(([key, option]) => ({
    label: labelOf(key, option),
    ...option,
  }));
  const jsonRow = {
    label: '--json',
    help: json ? `print one JSON object, ${json}` : 'print one JSON object',
  };
  const plain = [...rows.filter(({ section }) => !section), ...(json === undefined ? [] : [jsonRow])];
  const sections = [...new Set(rows.flatMap(({ section }) => section ?? []))];
  const all = [...rows, jsonRow].map(({ label }) => label.length);
  const width = Math.max(...all.filter((length) => length <= labelCharsMax));
  const blocks = [
    `${usageOf(description)}\n`,
    ...(help === undefined ? [] : [`${help}\n`]),
    ...(plain.length === 0 ? [] : [formatRows(plain, width)]),
    ...sections.flatMap((title) => [
      `${title}:\n`,
      formatRows(
        rows.filter(({ section }) => section === title),
        width,
      ),
    ]),
  ];
  return blocks.join('\n');
}

function labelOf(key: string, { value }: Option): string {
  return value === undefined ? optionName(key) : `${optionName(key)} ${value}`;
}

function formatRows(rows: readonly { label: string; help: string }[], width: number): string {
  const indent = ' '.repeat(width + 4);
  const lines = rows.map(({ label, help }) => {
    const text = wrap(help, columnsMax - indent.length).join(`\n${indent}`);
    return label.length > width ? `  ${label}\n${indent}${text}\n` : `  ${label.padEnd(width)}  ${text}\n`;
  });
  return lines.join('');
}

/** Breaks a text between words into lines of at most `charsMax` characters. */
export function wrap(text: string, charsMax: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > charsMax) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
