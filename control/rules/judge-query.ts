import { ruleLimits, type ruleOperators } from '../../contract/manage/rules.js';
import { clipText } from '../../lib/clip-text.js';
import type { Observation, RuleLook } from './observation.js';
import type { Rule } from './rule.js';

/** The answer of a query: its columns with their types, and its rows. Whole numbers of 64 bits may be texts. */
export type QueryAnswer = {
  meta: readonly { name: string; type: string }[];
  data: readonly (readonly unknown[])[];
};

type Operator = (typeof ruleOperators)[number];

const holds: Readonly<Record<Operator, (value: number, other: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const numbers = /^(?:LowCardinality\(|Nullable\()*(?:U?Int\d+|B?Float\d+|Decimal)/;
const labelCharsMax = 200;

/**
 * Compares the answer of a query with a rule: one number, or a label and a number in each of at most 50 rows. A null and an
 * answer without rows are no data. An answer of another form is an error that says what is wrong.
 */
export function judgeQuery({ condition }: Pick<Rule, 'condition'>, { meta, data }: QueryAnswer): RuleLook {
  const { operator = '>', value: threshold = 0 } = condition;
  const [first, second] = meta;
  const figure = meta.length === 1 ? first : second;
  if (figure === undefined || meta.length > 2) {
    return {
      error: `The query returns ${meta.length} columns; a rule takes a number, or a label and a number.`,
    };
  }
  if (!numbers.test(figure.type)) {
    return {
      error: `The column "${clipText(figure.name, 60)}" is of the type ${clipText(figure.type, 60)}, and no number.`,
    };
  }
  if (data.length > ruleLimits.groups) {
    return { error: `The query returns ${data.length} rows; a rule takes at most ${ruleLimits.groups}.` };
  }
  if (meta.length === 1 && data.length > 1) {
    return {
      error: `The query returns ${data.length} numbers; give each a label in front of it, or return one.`,
    };
  }
  const found = data.map((row): Observation => {
    const [label, figure] = meta.length === 1 ? [undefined, row[0]] : row;
    const value = figure === null || figure === undefined ? undefined : Number(figure);
    const isMeasured = value !== undefined && Number.isFinite(value);
    return {
      ...groupOf(label),
      look: !isMeasured ? 'none' : holds[operator](value, threshold) ? 'bad' : 'good',
      ...(isMeasured && { value }),
      threshold,
    };
  });
  const groups = new Set(found.map(({ group }) => group));
  if (groups.size < found.length) return { error: 'Two rows of the query have the same label.' };
  return { observations: found.length === 0 ? [{ group: '', look: 'none', threshold }] : withWhole(found) };
}

/** The key of a group must not begin as those of endpoints do. */
function groupOf(label: unknown): Pick<Observation, 'group' | 'name'> {
  if (label === undefined) return { group: '' };
  const name = clipText(String(label ?? ''), labelCharsMax);
  return { group: `row ${name}`, name };
}

/** An alert that nothing at all was found ends once something is. */
function withWhole(found: readonly Observation[]): readonly Observation[] {
  return found.some(({ group }) => group === '') ? found : [...found, { group: '', look: 'good' }];
}
