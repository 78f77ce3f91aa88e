/** @typedef {string | { [name: string]: Source }} Source As in web/texts/make-texts.ts. */

/**
 * Compares the texts of a language with the English ones. Returns a sentence for each difference: a key that is missing
 * or too many, another kind of text, other placeholders, or a form that the language does not have.
 *
 * @param {string} language
 * @param {unknown} texts
 * @param {Source} english
 * @returns {string[]}
 */
export function compareTexts(language, texts, english) {
  if (texts instanceof Error) return [texts.message];
  const rules = new Intl.PluralRules(language);
  const categories = rules.resolvedOptions().pluralCategories;
  return compare(texts, english, '', { categories, language });
}

/** @typedef {{ categories: readonly string[], language: string }} Context */

/**
 * @param {unknown} own
 * @param {Source} english
 * @param {string} key
 * @param {Context} context
 * @returns {string[]}
 */
function compare(own, english, key, context) {
  const invalid = findInvalid(own, key, context);
  if (invalid !== undefined) return [invalid];
  const text = /** @type {Source} */ (own); // Just checked.
  if (isGroup(english) !== isGroup(text)) {
    return [
      `${quote(key)} is ${isGroup(text) ? 'a group' : 'a text'}, and ${isGroup(english) ? 'a group' : 'a text'} in English`,
    ];
  }
  if (isGroup(english) && isGroup(text)) return compareGroups(text, english, key, context);
  if (text === '' && english !== '') return [`${quote(key)} is empty`];
  return comparePlaceholders(text, english, key);
}

/**
 * A language shows what English shows. It may decide by anything that it shows, and by what English decides by.
 *
 * @param {Source} own
 * @param {Source} english
 * @param {string} key
 */
function comparePlaceholders(own, english, key) {
  const [ours, theirs] = [listPlaceholders(own), listPlaceholders(english)];
  const [shown, shownInEnglish] = [ours, theirs]
    .map((all) => all.filter(({ isShown }) => isShown).map(({ name }) => name))
    .map(writeList);
  if (shown !== shownInEnglish) return [`${quote(key)} shows ${shown}, and ${shownInEnglish} in English`];
  const unknown = ours.find(({ name }) => !theirs.some((one) => one.name === name));
  if (unknown !== undefined)
    return [`${quote(key)} decides by {${unknown.name}}, which English does not have`];
  const words = ours.flatMap(({ name, words }) => {
    const inEnglish = theirs.find((one) => one.name === name)?.words;
    return words === inEnglish || words === undefined
      ? []
      : [`${quote(key)} chooses among ${words}, and ${inEnglish ?? 'not at all'} in English`];
  });
  return words;
}

/**
 * @param {{ [name: string]: Source }} own
 * @param {{ [name: string]: Source }} english
 * @param {string} key
 * @param {Context} context
 */
function compareGroups(own, english, key, context) {
  const path = (/** @type {string} */ name) => (key === '' ? name : `${key}.${name}`);
  const extra = Object.keys(own).filter((name) => !Object.hasOwn(english, name));
  return [
    ...Object.entries(english).flatMap(([name, inner]) =>
      Object.hasOwn(own, name)
        ? compare(own[name], inner, path(name), context)
        : [`${quote(path(name))} is missing`],
    ),
    ...extra.map((name) => `${quote(path(name))} is not in English`),
  ];
}

/**
 * @param {unknown} source
 * @param {string} key
 * @param {Context} context
 * @returns {string | undefined}
 */
function findInvalid(source, key, { categories, language }) {
  if (typeof source === 'string') {
    return source.trim() === source ? undefined : `${quote(key)} begins or ends with a space`;
  }
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    return `${quote(key)} is neither a text nor an object`;
  }
  const entries = Object.entries(source);
  const deciders = entries.filter(([name]) => name.startsWith('$'));
  if (deciders.length === 0) return undefined;
  const [name, decider] = deciders[0] ?? [];
  if (deciders.length > 1 || typeof decider !== 'string' || (name !== '$plural' && name !== '$select')) {
    return `${quote(key)} names one placeholder that decides, as "$plural" or as "$select"`;
  }
  const forms = entries.filter(([form]) => !form.startsWith('$'));
  if (name === '$plural') {
    if (!forms.some(([form]) => form === 'other')) return `${quote(key)} lacks the form "other"`;
    const unknown = forms.find(([form]) => !categories.includes(form) && !/^=\d+$/.test(form));
    if (unknown !== undefined)
      return `${quote(key)} has the form "${unknown[0]}", which ${language} does not have`;
  }
  for (const [form, inner] of forms) {
    const path = `${key}.${form}`;
    if (isGroup(inner)) return `${quote(path)} is a group in a choice`;
    const invalid = findInvalid(inner, path, { categories, language });
    if (invalid !== undefined) return invalid;
  }
  return undefined;
}

/**
 * A placeholder of a text: whether a form shows it, whether a number in it decides, and the words among which a choice by
 * value takes one, when there is no other.
 *
 * @typedef {{ name: string, isShown: boolean, isNumber: boolean, words: string | undefined }} Placeholder
 */

/**
 * Returns the placeholders of a text in all its forms.
 *
 * @param {Source} source
 * @returns {Placeholder[]}
 */
export function listPlaceholders(source) {
  /** @type {Map<string, Placeholder>} */
  const found = new Map();
  /** @param {string} name @param {Partial<Placeholder>} known */
  const add = (name, known) => {
    const before = found.get(name) ?? { name, isShown: false, isNumber: false, words: undefined };
    found.set(name, { ...before, ...known });
  };
  /** @param {Source} one */
  const visit = (one) => {
    if (typeof one === 'string') {
      for (const [, name = ''] of one.matchAll(/\{(\w+)\}/g)) add(name, { isShown: true });
      return;
    }
    const { $plural, $select, ...forms } = one;
    if (typeof $plural === 'string') add($plural, { isNumber: true });
    if (typeof $select === 'string') add($select, { words: wordsOf(forms) });
    for (const form of Object.values(forms)) visit(form);
  };
  visit(source);
  return [...found.values()];
}

/** @param {{ [name: string]: Source }} forms */
function wordsOf(forms) {
  const words = Object.keys(forms).sort();
  return words.includes('other') ? undefined : words.map((word) => `'${word}'`).join(' | ');
}

/**
 * Whether a value holds texts by name; otherwise it is one text, or a choice of one.
 *
 * @param {unknown} source
 * @returns {source is { [name: string]: Source }}
 */
export function isGroup(source) {
  return typeof source === 'object' && source !== null && !('$plural' in source || '$select' in source);
}

/** @param {readonly string[]} names */
function writeList(names) {
  return names.length === 0
    ? 'no placeholder'
    : names
        .map((name) => `{${name}}`)
        .sort()
        .join(', ');
}

/** @param {string} key */
function quote(key) {
  return key === '' ? 'the file' : `"${key}"`;
}
