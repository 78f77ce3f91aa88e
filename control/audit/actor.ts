import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

export const actorTypes = ['user', 'key', 'cli', 'job', 'channel'] as const;

export type ActorType = (typeof actorTypes)[number];

/**
 * Who makes a change: a person, a key of the API, somebody at a shell of the server, the service by itself, or whoever follows
 * a link that a channel got.
 */
export type Actor = {
  type: ActorType;
  /** Id of the user, the key or the channel; name of the job; `cli` for the command line. */
  id: string;
  /** How people know the actor: email of a user, name or displayed prefix of a key, login name at the shell, `the channel NAME`. */
  name: string;
  /** Address of the client, for requests. */
  address?: string;
};

/** Who made a change, as representations show it. */
export type ShownActor = Pick<Actor, 'type' | 'id' | 'name'> & {
  /** Name of a person; absent for others, and for a person whose name is not known any more. */
  personName?: string;
};

/** Returns an actor as representations show it. personNameOf() selects `personName`. */
export function toShownActor({ personName, ...actor }: ShownActorRow): ShownActor {
  return { ...actor, ...(personName !== null && { personName }) };
}

type ShownActorRow = Pick<Actor, 'type' | 'id' | 'name'> & { personName: string | null };

/** Returns the actor of a job or a background loop. a job or a background loop. */
export function jobActor(name: string): Actor {
  return { type: 'job', id: name, name };
}

/** Returns the actor of a command that works on the stores. `name` is the login name of the person who runs it. */
export function cliActor(name: string): Actor {
  return { type: 'cli', id: 'cli', name };
}

/**
 * Selects the name of the person whose account has this id, given as text; null for any other text. A person who was
 * deleted has the name that the entry of the deletion kept.
 */
export function personNameOf(sql: Sql | Transaction, isPerson: Fragment, id: Fragment): Fragment {
  return sql`
    case when ${isPerson} and ${id} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then coalesce(
      (select person.name from users person where person.id = ${id}::uuid),
      (select gone.before ->> 'name' from audit_log gone
        where gone.page_id is null and gone.target_id = ${id} and gone.action = 'user.delete'
        order by gone.id desc limit 1)) end`;
}
