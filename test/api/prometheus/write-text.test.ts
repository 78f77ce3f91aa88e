import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatOf } from '../../../api/prometheus/negotiate.js';
import { writeProtobuf } from '../../../api/prometheus/write-protobuf.js';
import { writeText } from '../../../api/prometheus/write-text.js';
import { readFamilies } from '../../support/metric-families.js';
import { propertyOf } from '../../support/property.js';

/** Reads the labels of a line, as the specification of the format says. */
function readLabels(line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const form = /(\w+)="((?:[^"\\]|\\["\\n])*)"[,}]/gy;
  form.lastIndex = line.indexOf('{') + 1;
  for (let match = form.exec(line); match !== null; match = form.exec(line)) {
    const original = (_: string, one: string): string => (one === 'n' ? '\n' : one);
    labels[match[1] ?? ''] = (match[2] ?? '').replaceAll(/\\(.)/g, original);
  }
  return labels;
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', ',', '}', 'n', '{') }),
);

t.test('any text of a label comes back, on a line of its own', async () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom('text' as const, 'openmetrics' as const), (a, b, format) => {
      const labels = { a, b };
      const family = {
        name: 'm',
        help: a,
        type: 'gauge' as const,
        samples: [{ labels, value: 1, atMs: 5_000 }],
      };
      const lines = writeText([family], format).split('\n');
      const end = format === 'text' ? [''] : ['# EOF', ''];
      deepStrictEqual(lines.slice(3), end);
      deepStrictEqual(readLabels(lines[2] ?? ''), { a: a.toWellFormed(), b: b.toWellFormed() });
      deepStrictEqual(lines[2]?.endsWith(format === 'text' ? '} 1 5000' : '} 1 5'), true);
      const [{ metrics } = { metrics: [] }] = readFamilies(writeProtobuf([family]));
      deepStrictEqual(metrics[0]?.labels, { a: a.toWellFormed(), b: b.toWellFormed() });
    }),
    propertyOf(t, { few: 125, many: 2_500 }),
  );
});

const protobuf = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
for (const [accept, format] of [
  [undefined, 'text'],
  ['*/*', 'text'],
  ['text/html', 'text'],
  ['application/json', 'text'],
  [
    `${protobuf};q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3`,
    'protobuf',
  ],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'openmetrics',
  ],
  ['text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.5', 'text'],
  ['application/vnd.google.protobuf', 'text'],
  [`${protobuf};q=0`, 'text'],
  ['application/openmetrics-text;version=0.0.1', 'text'],
] as const) {
  t.test(`Accept ${accept}: ${format}`, async (t) => {
    t.equal(formatOf(accept), format);
  });
}
