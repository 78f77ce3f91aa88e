import type { Description, Option } from './description.js';
import { optionName } from './parse-arguments.js';

const columnsMax = 118;
/** A longer option gets a line of its own above its explanation. */
const labelCharsMax = 26;
/** With more optional options than this the usage line says [options]. */
const usageOptionsMax = 3;

/** What `heartline COMMAND --help` prints: the usage line, the paragraphs, and the options in columns. */
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

function usageOf({
  name,
  arguments: named = {},
  argumentsUnless = [],
  options = {},
  json,
}: Description): string {
  const entries = Object.entries(options);
  const instead = entries.filter(([key]) => argumentsUnless.includes(key));
  const required = entries.filter(([, option]) => option.required);
  const optional = entries
    .filter(([key, option]) => !option.required && !argumentsUnless.includes(key))
    .map((entry) => `[${usagePart(entry)}]`);
  if (json !== undefined) optional.push('[--json]');
  const positionals = Object.values(named).join(' ');
  const parts = [
    instead.length > 0 ? `${positionals}|${instead.map(usagePart).join(' ')}` : positionals,
    ...required.map(usagePart),
    ...(optional.length > usageOptionsMax ? ['[options]'] : optional),
  ];
  return ['heartline', name, ...parts.filter(Boolean)].join(' ');
}

function usagePart([key, option]: [string, Option]): string {
  const value = option.choices?.join('|') ?? option.value;
  return value === undefined ? optionName(key) : `${optionName(key)} ${value}`;
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
function wrap(text: string, charsMax: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > charsMax) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
