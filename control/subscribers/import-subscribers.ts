import type { ImportRefusal } from '../../contract/subscriber-import.js';
import type { SuppressionReason } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { type EmailId, newId, type PageId, type SubscriberId } from '../../lib/ids.js';
import { matchLanguage } from '../../lib/locale/language.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { countSignUpsLeft } from './sign-up.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/** A row of a file. `confirmed` says whether the address has agreed; `undefined` when the file does not say it. */
export type ImportedRow = {
  line: number;
  email: string;
  /** Language tag; empty for the one that the subscriber has, or the default language of the page. */
  language: string;
  confirmed: boolean | undefined;
};

/** Counts of the rows by their outcome, and the refused rows by their lines, in the order of the file. */
export type SubscriberImport = {
  added: number;
  changed: number;
  unchanged: number;
  refused: { line: number; reason: ImportRefusal }[];
};

type ImportInput = {
  page: { id: PageId; slug: string; languages: readonly string[]; defaultLanguage: string };
  rows: readonly ImportedRow[];
  /** For all of it: whoever waits for the answer must not be told that nothing was stored while it still may be. */
  timeoutMs: number;
};

/** A row that says everything. `language` is one of the page, or `undefined`. */
type CheckedRow = { line: number; email: string; language: string | undefined; confirmed: boolean };

/** Rows of one statement. */
const batchRows = 1_000;

/**
 * Adds many subscribers at once, or none when it fails. Repeating an import changes nothing. An address that is not
 * confirmed is asked by email when it is new; one that is suppressed stays so. The audit log has a row with the counts.
 *
 * @throws QueryTimeout after `timeoutMs`: nothing is stored then, unless the COMMIT was on its way. 10,000 addresses take
 *   up to 4 s on a busy machine.
 */
export async function importSubscribers(
  { sql, clock, by }: Deps,
  { page, rows, timeoutMs }: ImportInput,
): Promise<SubscriberImport> {
  const result: SubscriberImport = { added: 0, changed: 0, unchanged: 0, refused: [] };
  const checked = checkRows(rows, page.languages, result);
  const now = clock.now();
  const importAll = async (tx: Transaction): Promise<void> => {
    // While the statistics do not know yet that the table has grown, the planner expects a few rows, and would compare
    // each address with each subscriber in a nested loop.
    await tx`set local enable_nestloop = off`;
    // Two imports that count the unconfirmed addresses at the same time would together exceed their bound.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`subscriber import ${page.id}`}, 0))`;
    const place = { page, now, left: await countSignUpsLeft(tx, page.id) };
    for (let i = 0; i < checked.length; i += batchRows) {
      place.left -= await importBatch(tx, place, checked.slice(i, i + batchRows), result);
    }
    const { added, changed } = result;
    if (added + changed === 0) return;
    const target = { type: 'subscriber', id: page.id, name: `${added + changed}` };
    const after = { added, changed };
    await recordChange(
      tx,
      { by, now },
      { pageId: page.id, action: 'subscriber.import', target, before: null, after },
    );
  };
  await inTransaction(sql, importAll, { queryTimeoutMs: timeoutMs, transactionTimeoutMs: timeoutMs });
  result.refused.sort((a, b) => a.line - b.line);
  return result;
}

/** The usable rows by address: imports that run at the same time lock them in the same order. */
function checkRows(
  rows: readonly ImportedRow[],
  languages: readonly string[],
  { refused }: SubscriberImport,
): CheckedRow[] {
  const checked = new Map<string, CheckedRow>();
  for (const { line, confirmed, ...row } of rows) {
    const email = parseEmailAddress(row.email);
    const language = row.language === '' ? undefined : matchLanguage(row.language, languages);
    if (email === undefined) refused.push({ line, reason: 'invalidAddress' });
    else if (confirmed === undefined) refused.push({ line, reason: 'consentMissing' });
    else if (row.language !== '' && language === undefined) refused.push({ line, reason: 'unknownLanguage' });
    else if (checked.has(email)) refused.push({ line, reason: 'repeated' });
    else checked.set(email, { line, email, language, confirmed });
  }
  return [...checked.values()].sort((a, b) => (a.email < b.email ? -1 : 1));
}

type Place = {
  page: ImportInput['page'];
  now: number;
  /** How many more addresses may be unconfirmed. */
  left: number;
};

/** Returns how many unconfirmed addresses it added. */
async function importBatch(
  tx: Transaction,
  { page, now, left }: Place,
  rows: readonly CheckedRow[],
  result: SubscriberImport,
): Promise<number> {
  const emails = rows.map(({ email }) => email);
  // In this order: somebody who unsubscribes holds the lock until the suppression can be read.
  const known = await lockKnown(tx, page.id, emails);
  const suppressed = await loadSuppressions(tx, page.id, emails);
  const added: CheckedRow[] = [];
  const changed: CheckedRow[] = [];
  let asked = 0;
  let unchanged = 0;
  for (const row of rows) {
    const reason = suppressed.get(row.email);
    const subscriber = known.get(row.email);
    if (reason !== undefined) result.refused.push({ line: row.line, reason });
    else if (subscriber !== undefined) {
      if (changes(row, subscriber)) changed.push(row);
      else unchanged += 1;
    } else if (!row.confirmed && asked >= left)
      result.refused.push({ line: row.line, reason: 'tooManyUnconfirmed' });
    else {
      added.push(row);
      if (!row.confirmed) asked += 1;
    }
  }
  const made = await insertNew(tx, { page, now }, added);
  await updateKnown(tx, { page, now }, changed);
  result.added += made;
  result.changed += changed.length;
  // Somebody else added the others meanwhile.
  result.unchanged += unchanged + added.length - made;
  return asked;
}

type Known = { email: string; language: string; confirmed: boolean };

/** A file that says less than what is stored takes nothing back: the person may have confirmed since. */
function changes({ language, confirmed }: CheckedRow, known: Known): boolean {
  if (confirmed && !known.confirmed) return true;
  return (confirmed || !known.confirmed) && language !== undefined && language !== known.language;
}

async function loadSuppressions(
  tx: Transaction,
  pageId: PageId,
  emails: readonly string[],
): Promise<Map<string, SuppressionReason>> {
  const rows = await tx<{ email: string; reason: SuppressionReason }[]>`
    select s.email, s.reason
    from unnest(${[...emails]}::text[]) n (email) join suppressions s on s.page_id = ${pageId} and s.email = n.email`;
  return new Map(rows.map(({ email, reason }) => [email, reason]));
}

/** A join, because a generic plan of `email = any(…)` may compare each subscriber of the page with each address. */
async function lockKnown(
  tx: Transaction,
  pageId: PageId,
  emails: readonly string[],
): Promise<Map<string, Known>> {
  const rows = await tx<Known[]>`
    select s.email, s.language, s.confirmed_at is not null as confirmed
    from unnest(${[...emails]}::text[]) n (email) join subscribers s on s.page_id = ${pageId} and s.email = n.email
    order by s.email for update of s`;
  return new Map(rows.map((row) => [row.email, row]));
}

type Written = Pick<Place, 'page' | 'now'>;

/** Adds the rows, and asks those that have not agreed. Returns how many were added. */
async function insertNew(
  tx: Transaction,
  { page, now }: Written,
  rows: readonly CheckedRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const at = new Date(now);
  const made = await tx<{ id: SubscriberId; confirmed: boolean }[]>`
    insert into subscribers (id, page_id, email, language, created_at, requested_at, confirmed_at)
    select n.id, ${page.id}, n.email, n.language, ${at}, ${at}, case when n.confirmed = 'yes' then ${at}::timestamptz end
    from unnest(${rows.map(() => newId<SubscriberId>(now))}::uuid[], ${rows.map(({ email }) => email)}::text[],
      ${rows.map(({ language }) => language ?? page.defaultLanguage)}::text[],
      ${rows.map(({ confirmed }) => (confirmed ? 'yes' : 'no'))}::text[]) as n (id, email, language, confirmed)
    on conflict (page_id, email) do nothing
    returning id, confirmed_at is not null as confirmed`;
  const asked = made.filter(({ confirmed }) => !confirmed).map(({ id }) => id);
  if (asked.length > 0) {
    await tx`
      insert into emails (id, page_id, subscriber_id, kind, next_attempt_at, created_at)
      select n.id, ${page.id}, n.subscriber_id, 'confirmation', ${at}, ${at}
      from unnest(${asked.map(() => newId<EmailId>(now))}::uuid[], ${asked}::uuid[]) as n (id, subscriber_id)`;
  }
  return made.length;
}

async function updateKnown(
  tx: Transaction,
  { page, now }: Written,
  rows: readonly CheckedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update subscribers s set
      language = coalesce(n.language, s.language),
      confirmed_at = case when n.confirmed = 'yes' then coalesce(s.confirmed_at, ${new Date(now)}) else s.confirmed_at end
    from unnest(${rows.map(({ email }) => email)}::text[], ${rows.map(({ language }) => language ?? null)}::text[],
      ${rows.map(({ confirmed }) => (confirmed ? 'yes' : 'no'))}::text[]) as n (email, language, confirmed)
    where s.page_id = ${page.id} and s.email = n.email`;
}
