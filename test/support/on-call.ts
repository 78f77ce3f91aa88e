import type { PageRole } from '../../contract/permissions.js';
import type { Clock } from '../../lib/clock.js';
import type { UserId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { giveRole, makeUser, type PersonHeaders, signIn } from './people.js';

/** A Tuesday, which tests of schedules take for now. */
export const tuesday = Date.parse('2026-12-01T12:00:00Z');

type TeamMember = { id: UserId; email: string; headers: PersonHeaders };

/** Makes people with a role on the page `acme`, called Ada, Bob and so on: `ada@acme.example`. */
export async function makeTeam<Name extends string>(
  deps: { sql: Sql; clock: Clock },
  roles: Readonly<Record<Name, PageRole>>,
): Promise<Record<Name, TeamMember>> {
  const team: Partial<Record<Name, TeamMember>> = {};
  for (const [name, role] of Object.entries<PageRole>(roles)) {
    const called = name.charAt(0).toUpperCase() + name.slice(1);
    const { id, email } = await makeUser(deps, { email: `${name}@acme.example`, name: called });
    await giveRole(deps, { userId: id, slug: 'acme', role });
    team[name as Name] = { id, email, headers: await signIn(deps, id) }; // A name of `roles`.
  }
  return team as Record<Name, TeamMember>; // Each name has been set.
}

/** A week each, from Monday at nine in Berlin. */
export const weeks = {
  ...{ name: 'Weeks', people: ['ada@acme.example', 'bob@acme.example'] },
  ...{ handoff: '2026-11-30T09:00', every: { weeks: 1 } },
};

export const backend = { name: 'Backend', timeZone: 'Europe/Berlin', layers: [weeks] };
