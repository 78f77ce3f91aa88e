import { basename, dirname, relative, sep } from 'node:path';
import { isGroup, listPlaceholders } from './check-texts.js';

/** @typedef {import('./check-texts.js').Source} Source */
/** @typedef {import('./texts.js').Area} Area */

/** The first line of a module that the build has written, and may write again or delete. */
export const firstLine = '// Written by the build from the JSON files beside it; see bin/build/texts.js.';

/**
 * Returns the module with the types of the texts that the service reads.
 *
 * @param {readonly Area[]} areas
 */
export function serverModule(areas) {
  const types = areas.map(({ name, sources }) => `export type ${typeName(name)} = ${typeOf(sources)};\n`);
  const entries = areas.map(({ path, name }) => `  ${JSON.stringify(basename(path))}: ${typeName(name)};\n`);
  const languages = areas.map(
    ({ path, languages }) => `  ${JSON.stringify(basename(path))}: ${JSON.stringify(languages)},\n`,
  );
  return `${firstLine}
import type { Value } from './make-texts.js';

${types.join('\n')}
export type Areas = {
${entries.join('')}};

/** The languages that each area has. */
export const languagesOf = {
${languages.join('')}} as const;
`;
}

/**
 * Returns the module with the texts of a part of the dashboard in some languages.
 *
 * @param {Area} area
 * @param {readonly string[]} languages
 */
export function dashboardModule({ path, name, sources }, languages) {
  const to = (/** @type {string} */ target) => {
    const way = relative(dirname(path), target).split(sep).join('/');
    return way.startsWith('.') ? way : `./${way}`;
  };
  const made = languages.map(
    (language) => `  ${language}: makeTexts(${JSON.stringify(sources[language])}, '${language}'),\n`,
  );
  const type = typeOf(sources);
  return `${firstLine}
import { makeTexts${/: Value\b/.test(type) ? ', type Value' : ''} } from '${to('web/texts/make-texts.js')}';
import type { Texts } from '${to('web/dashboard/texts.js')}';

export type ${typeName(name)} = ${type};

export const ${name}Texts: Texts<${typeName(name)}> = {
${made.join('')}};
`;
}

/** @param {string} name */
const typeName = (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Texts`;

/**
 * Returns the type of texts in all languages: `string`, or a function for a text with placeholders.
 *
 * @param {Record<string, Source>} sources
 * @returns {string}
 */
function typeOf({ en = {}, ...others }) {
  if (isGroup(en)) {
    const entries = Object.keys(en).map(
      (key) => `${JSON.stringify(key)}: ${typeOf(innerOf({ en, ...others }, key))}`,
    );
    return `{ ${entries.join('; ')} }`;
  }
  const placeholders = listPlaceholders(en);
  if (placeholders.length === 0) return 'string';
  const inAll = Object.values(others).flatMap(listPlaceholders);
  const values = placeholders.map(({ name, isNumber, words }) => {
    const isDecider = isNumber || inAll.some((one) => one.name === name && one.isNumber);
    return `${name}: ${words ?? (isDecider ? 'number' : 'Value')}`;
  });
  return `(values: { ${values.join('; ')} }) => string`;
}

/**
 * Returns what each language has under a key of a group.
 *
 * @param {Record<string, Source>} sources
 * @param {string} key
 * @returns {Record<string, Source>}
 */
function innerOf(sources, key) {
  return Object.fromEntries(
    Object.entries(sources).flatMap(([language, source]) => {
      const inner = isGroup(source) ? source[key] : undefined;
      return inner === undefined ? [] : [[language, inner]];
    }),
  );
}
