/** Fills a placeholder of a message. */
export type Value = string | number;

/**
 * The content of a JSON file of texts: a text, a choice between messages, or texts by name. A text may have placeholders
 * such as `{count}`. A choice names the placeholder that decides: `$plural` chooses by the category of a number in the
 * language, or by the number itself (`=1`), and `$select` by the value; `other` is chosen when nothing else fits.
 */
export type Source = string | { readonly [name: string]: Source };

type Values = Readonly<Record<string, Value>>;
type Write = (values: Values) => string;

/** A placeholder; split by it, every second piece of a text is a name. */
const placeholder = /\{(\w+)\}/;

/**
 * Returns the texts of a file: a function of named values in place of each message that has placeholders. `T` is the
 * type that the build derives from the English file, to which it has compared this one.
 */
export function makeTexts<T>(source: Source, language: string): T {
  return make(source, new Intl.PluralRules(language)) as T; // Checked by the build.
}

function make(source: Source, rules: Intl.PluralRules): unknown {
  if (typeof source === 'string') return placeholder.test(source) ? makeText(source) : source;
  if ('$plural' in source || '$select' in source) return makeMessage(source, rules);
  return mapValues(source, (inner) => make(inner, rules));
}

function makeMessage(source: Source, rules: Intl.PluralRules): Write {
  if (typeof source === 'string') return makeText(source);
  const { $plural, $select, ...sources } = source;
  const forms = new Map(Object.entries(sources).map(([name, form]) => [name, makeMessage(form, rules)]));
  const decider = String($plural ?? $select);
  return (values) => {
    const value = values[decider];
    const form =
      typeof $plural === 'string'
        ? (forms.get(`=${value}`) ?? forms.get(rules.select(Number(value))))
        : forms.get(String(value));
    return (form ?? forms.get('other'))?.(values) ?? '';
  };
}

function makeText(text: string): Write {
  const [first = '', ...pieces] = text.split(placeholder);
  const names = pieces.filter((_, at) => at % 2 === 0);
  const parts = names.map((name, at) => ({ name, after: pieces[2 * at + 1] }));
  // A view of 300 services writes thousands of them: a loop takes less than half the time of map and join.
  return (values) => {
    let written = first;
    for (const { name, after } of parts) written += `${values[name]}${after}`;
    return written;
  };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
