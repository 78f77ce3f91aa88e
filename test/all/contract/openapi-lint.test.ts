import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import t from 'tap';
import { type Description, operationsOf } from '../../support/api-description.js';
import { startTestService } from '../../support/service.js';

const api = await startTestService(t);
const description = (await api.get('/openapi.json')).body as Description;
const text = JSON.stringify(description);

/** Reports two paths that a path could match both, by their templates alone; the test below looks at the parameters. */
const ambiguousPaths = 'no-ambiguous-paths';

async function lintWithRedocly() {
  const config = await createConfig({ extends: ['recommended'] });
  return lintFromString({ source: text, absoluteRef: '/openapi.json', config });
}

t.test("Redocly's recommended rules find nothing", async (t) => {
  const problems = (await lintWithRedocly()).filter(
    ({ ruleId, location: [at] }) =>
      ruleId !== ambiguousPaths &&
      // The ways into a private page lead on, and never answer 200.
      !(ruleId === 'operation-2xx-response' && at?.pointer?.includes('~1reader~1')),
  );
  t.strictSame(
    problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    [],
  );
});

t.test("Spectral's recommended rules find nothing", async (t) => {
  const spectral = new spectralCore.Spectral();
  // The types of the rules and those of the linter do not agree on optional properties.
  spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] } as RulesetDefinition);
  const problems = await spectral.run(JSON.parse(text));
  t.strictSame(
    problems.map(({ code, path, message }) => `${code}: ${path.join('.')}: ${message}`),
    [],
  );
});

t.test(
  'paths that Redocly finds ambiguous differ in their first part, which is a language or is not',
  async (t) => {
    const found = (await lintWithRedocly()).filter(({ ruleId }) => ruleId === ambiguousPaths);
    t.ok(found.length > 0);
    const language = languageForm();
    for (const { message } of found) {
      const firsts = [...message.matchAll(/`\/([^/`]*)[^`]*`/g)].map(([, first = '']) => first);
      const [fixed, ...others] = firsts.filter((first) => first !== '{language}');
      t.strictSame([firsts.length, others.length], [2, 0], message);
      t.notMatch(fixed, language, message);
    }
    for (const tag of ['en', 'de', 'pt-BR', 'zh-Hans-CN', 'fil']) t.match(tag, language);
  },
);

function languageForm(): RegExp {
  const schemas = operationsOf(description).flatMap(({ operation: { parameters = [] } }) =>
    parameters.flatMap(({ name, schema }) => (name === 'language' && schema !== undefined ? [schema] : [])),
  );
  const patterns = schemas.flatMap((schema) => ('pattern' in schema ? [String(schema.pattern)] : []));
  return new RegExp(patterns[0] ?? 'no pattern');
}
