import type { Static, TSchema } from 'typebox';
import { type Client, Nothing } from './client/client.js';
import { orNull } from './client/or-null.js';
import { defineCommand } from './core/define-command.js';
import { pageOption } from './page.js';

/** Things of a page that are known by their slug. */
export type Kind<Answer extends TSchema> = {
  /** The word of their commands, such as `rule`. */
  noun: string;
  /** The list below the page, such as `/rules`. */
  list: string;
  answer: Answer;
};

/** The path of a thing with a slug. */
export async function pathOfSlug(
  client: Client,
  { list }: Pick<Kind<TSchema>, 'list'>,
  { page, slug }: { page: string; slug: string },
): Promise<string> {
  return `${await client.pathOf(page)}${list}/${encodeURIComponent(slug)}`;
}

/** Reads the thing with a slug. @throws ServiceError `notFound` */
export async function readBySlug<Answer extends TSchema>(
  client: Client,
  kind: Kind<Answer>,
  ref: { page: string; slug: string },
): Promise<Static<Answer>> {
  return client.send('GET', await pathOfSlug(client, kind, ref), { answer: kind.answer });
}

/**
 * Changes the thing with a slug, or creates it when the page has none.
 *
 * @param bodyOf gets the thing as it is, or null, and returns the body that changes or creates it.
 */
export async function setBySlug<Answer extends TSchema>(
  client: Client,
  kind: Kind<Answer>,
  ref: { page: string; slug: string },
  bodyOf: (before: Static<Answer> | null) => object,
): Promise<{ one: Static<Answer>; isNew: boolean }> {
  const { answer } = kind;
  const path = await pathOfSlug(client, kind, ref);
  const before = await orNull(client, await client.pathOf(ref.page), client.send('GET', path, { answer }));
  const method = before === null ? 'PUT' : 'PATCH';
  const one = await client.send(method, path, { answer, body: bodyOf(before) });
  return { one, isNew: before === null };
}

/** Returns the command that deletes a thing by its slug. `loses` says what goes with it. */
export function deleteCommand<Answer extends TSchema>(kind: Kind<Answer>, loses: string) {
  return defineCommand({
    runsRemotely: true,
    name: `${kind.noun} delete`,
    summary: `delete a ${kind.noun}`.replace('a objective', 'an objective'),
    help: loses,
    arguments: { slug: 'SLUG' },
    options: { page: pageOption },
    json: '',
    async run({ client }, ref) {
      const path = await pathOfSlug(client, kind, ref);
      const one = await client.send('GET', path, { answer: kind.answer });
      await client.send('DELETE', path, { answer: Nothing });
      return { json: Object(one), text: `The ${kind.noun} ${ref.slug} is deleted.\n` };
    },
  });
}
