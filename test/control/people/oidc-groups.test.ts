import t from 'tap';
import { readGroups } from '../../../control/people/oidc/groups.js';

t.test('groups are found in the forms in which providers send them', async (t) => {
  const cases: [string, string, Record<string, unknown>, unknown][] = [
    ['names (Okta, Dex, Pocket ID, authentik)', 'groups', { groups: ['ops', 'dev'] }, ['ops', 'dev']],
    ['one name', 'groups', { groups: 'ops' }, ['ops']],
    ['ids (Entra)', 'groups', { groups: ['0a1b-2c', 7] }, ['0a1b-2c', '7']],
    ['paths (Keycloak)', 'groups', { groups: ['/ops/night'] }, ['/ops/night', 'ops/night']],
    ['a nested claim (Keycloak)', 'realm_access.roles', { realm_access: { roles: ['ops'] } }, ['ops']],
    ['a name with dots', 'https://x.example/groups', { 'https://x.example/groups': ['ops'] }, ['ops']],
    [
      'objects',
      'groups',
      {
        groups: [
          { id: 'g1', name: 'ops' },
          { value: 'g2', display: 'dev' },
        ],
      },
      ['g1', 'ops', 'dev', 'g2'],
    ],
    ['keys (ZITADEL)', 'urn:zitadel:roles', { 'urn:zitadel:roles': { ops: { 1: 'acme' } } }, ['ops']],
    ['an empty list', 'groups', { groups: [] }, []],
    ['what is no group', 'groups', { groups: [null, true, {}, ['ops']] }, []],
    ['none', 'groups', {}, undefined],
    ['a nested claim that is none', 'a.b.c', { a: { b: 'x' } }, undefined],
    ['a member of every object', 'constructor.name', {}, undefined],
    ['too many (Entra)', 'groups', { _claim_names: { groups: 'src1' } }, 'tooMany'],
    ['too many, in short (Entra)', 'groups', { hasgroups: true }, 'tooMany'],
    ['too many of others', 'roles', { _claim_names: { groups: 'src1' }, hasgroups: true }, undefined],
  ];
  const wrong = cases.flatMap(([name, claim, claims, wanted]) => {
    const found = readGroups(claims, claim);
    return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [[name, found]];
  });
  t.same(wrong, []);
});
