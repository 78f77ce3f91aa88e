import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { cliActor } from '../../control/audit/index.js';
import { sealSettings } from '../../control/channels/channel-secrets.js';
import { createIncident, parseNewIncident } from '../../control/incidents/index.js';
import { createPage, type Page } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { type ChannelId, newId, type SubscriberId } from '../../lib/ids.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { benchSecretKey, startHeartline, stopHeartline } from '../support/heartline.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Announces an incident to subscribers by email and in the chats of five providers, of which one dies. */
const emails = 4_000;
const providers = 5;
const chatsEach = 1_200;
const rounds = 3;
/** The place of the provider that hangs. */
const dead = providers - 1;

await withStores(async (stores) => {
  const smtp = fork(new URL('../servers/smtp-sink.js', import.meta.url));
  const [smtpPort] = (await once(smtp, 'message')) as [number];
  const chats = fork(new URL('../servers/chat-sink.js', import.meta.url), [String(providers)]);
  const [ports] = (await once(chats, 'message')) as [number[]];
  const heartline = await startHeartline({ ...stores, smtpUrl: `smtp://127.0.0.1:${smtpPort}` });
  const sql = openPostgres(stores.databaseUrl, { max: 1 });
  const by = cliActor('bench');
  const page = await createPage(
    { sql, clock: systemClock, by },
    { slug: 'large', hostname: 'large.localhost' },
  );
  await fillEmails(sql, page);
  for (const port of ports) await fillChats(sql, page, port);

  /** Returns the seconds until everything that is well has arrived, and the messages of the chats in a second. */
  async function announce(hanging: readonly number[]): Promise<number> {
    const before = { smtp: await ask(smtp, 'count'), chats: await ask<number[]>(chats, hanging) };
    const wanted = { smtp: emails, chats: (providers - hanging.length) * chatsEach };
    const startedAt = performance.now();
    const input = parseNewIncident({
      ...{ title: 'Database outage', summary: 'Connections time out.', startedAt: new Date().toISOString() },
    });
    await createIncident({ sql, clock: systemClock, by }, { pageId: page.id, input });
    let chatsAt: number | undefined;
    for (;;) {
      const sent = sum(await ask<number[]>(chats, hanging)) - sum(before.chats);
      if (sent >= wanted.chats) chatsAt ??= performance.now();
      const mails = (await ask<number>(smtp, 'count')) - before.smtp;
      if (chatsAt !== undefined && mails >= wanted.smtp) break;
      await sleep(100);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const chatSeconds = (chatsAt - startedAt) / 1000;
    const perSecond = Math.round(wanted.chats / chatSeconds);
    line(
      `${hanging.length === 0 ? 'all are well' : 'one hangs   '}: ${wanted.chats} chats in ${chatSeconds.toFixed(1)} s, ${perSecond} messages/s; with ${emails} emails ${seconds.toFixed(1)} s`,
    );
    return perSecond / (providers - hanging.length);
  }

  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const well = await announce([]);
    const withOneDead = await announce([dead]);
    ratios.push(withOneDead / well);
    await sql`update channel_messages set state = 'parked', reason = 'x', finished_at = now() where state = 'pending'`;
  }
  line(
    `messages/s of each provider that is well, one dead / all well: ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
  );
  await sql.end();
  await stopHeartline(heartline);
  smtp.disconnect();
  chats.disconnect();
});

async function ask<Answer = number>(
  child: ChildProcess,
  message: string | readonly number[],
): Promise<Answer> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

async function fillEmails(sql: Sql, { id }: Page): Promise<void> {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at, confirmed_at)
    select gen_random_uuid(), ${id}, 'n' || n || '@example.com', 'en', now(), now(), now()
    from generate_series(1, ${emails}) as n`;
}

async function fillChats(sql: Sql, { id: pageId }: Page, port: number): Promise<void> {
  const now = Date.now();
  const at = new Date(now);
  for (let from = 0; from < chatsEach; from += 100) {
    const made = Array.from({ length: 100 }, (_, place) => {
      const [id, subscriberId] = [newId<ChannelId>(now), newId<SubscriberId>(now)];
      return { id, subscriberId, url: `http://127.0.0.1:${port}/${from + place}` };
    });
    const subscribers = made.map(({ subscriberId: id }) => ({
      ...{ id, page_id: pageId, language: 'en', created_at: at, requested_at: at, confirmed_at: at },
    }));
    await sql`insert into subscribers ${sql(subscribers)}`;
    const channels = made.map(({ id, subscriberId, url }) => ({
      ...{ id, page_id: pageId, kind: 'slack', name: 'Slack', host: new URL(url).host, open_settings: '{}' },
      ...{ settings: sealSettings(benchSecretKey, id, { url }), created_at: at, subscriber_id: subscriberId },
      address_hash: Buffer.from(id),
    }));
    await sql`insert into channels ${sql(channels)}`;
  }
}
