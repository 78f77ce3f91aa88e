import { answerSecondsMax, nameOf, type Outcome } from './call.js';
import { type Memory, memories } from './example.js';

/** The answers of the routes during one fault. */
export type FaultReport = {
  fault: string;
  outcomes: readonly Outcome[];
  /** Seconds from the end of the fault until every route answered as usual. */
  backSeconds: number;
};

/** A table in Markdown: route × memory × fault → status and seconds, with the age of an answer from memory. */
export function writeTable(reports: readonly FaultReport[]): string {
  const names = [...new Set(reports.flatMap(({ outcomes }) => outcomes.map(nameOfOutcome)))];
  const rows = names.flatMap((name) =>
    memories.map((memory) => [name, memory, ...reports.map((report) => cellOf(report, name, memory))]),
  );
  return toMarkdown([['request', 'memory', ...reports.map(({ fault }) => fault)], ...rows]);
}

/** A table in Markdown with a line for each fault. */
export function writeSummary(reports: readonly FaultReport[]): string {
  const header = [
    'fault',
    'as usual',
    'from memory, with its age',
    '503',
    'anything else',
    'slowest',
    'back after',
  ];
  const rows = reports.map(({ fault, outcomes, backSeconds }) => {
    const kinds = outcomes.map(kindOf);
    const count = (kind: Kind) => String(kinds.filter((one) => one === kind).length);
    const slowest = Math.max(...outcomes.map(({ seconds }) => seconds));
    return [
      ...[fault, count('usual'), count('memory'), count('503'), count('other')],
      ...[`${slowest.toFixed(1)} s`, `${backSeconds.toFixed(1)} s`],
    ];
  });
  return toMarkdown([header, ...rows]);
}

type Kind = 'usual' | 'memory' | '503' | 'other';

function kindOf({ example, answer, seconds }: Outcome): Kind {
  if (answer === undefined || seconds > answerSecondsMax) return 'other';
  if (answer.status === 503) return '503';
  if (answer.status !== example.usual) return 'other';
  return Number(answer.headers.get('age') ?? 0) > 0 ? 'memory' : 'usual';
}

const nameOfOutcome = ({ route, example }: Outcome) => nameOf(route, example);

function cellOf({ outcomes }: FaultReport, name: string, memory: Memory): string {
  const found = outcomes.find((one) => one.memory === memory && nameOfOutcome(one) === name);
  if (found === undefined) return '';
  const { answer, seconds } = found;
  const age = answer?.headers.get('age');
  const status = answer === undefined ? 'none' : `${answer.status}${age ? `, age ${age}` : ''}`;
  return `${status}, ${seconds.toFixed(1)} s`;
}

function toMarkdown([header = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
