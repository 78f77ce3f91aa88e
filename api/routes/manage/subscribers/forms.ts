import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import { csvAddressesMax } from '../../../../contract/manage/subscribers.js';
import {
  type AddressListInput,
  type ListedAddress,
  listAddresses,
  type Subscriber,
  subscriberState,
} from '../../../../control/subscribers/index.js';
import { type Position, sealCursor } from '../../../../lib/cursor.js';
import { invalid, type Parameters } from '../../../../lib/query-parameters.js';
import type { Sql } from '../../../../sql/open-postgres.js';
import type { Representation } from '../../../manage/answers.js';
import { csvRow } from '../../../manage/csv.js';

/** Rows of one query and of one turn of the event loop. */
const batchRows = 5_000;

const columns = ['id', 'email', 'language', 'state', 'createdAt', 'confirmedAt', 'suppressedAt'] as const;

type AddressFields = Record<(typeof columns)[number], string | null>;

export function addressJson({ id, email, language, ...address }: ListedAddress): AddressFields {
  return {
    ...{ id, email, language, state: subscriberState(address) },
    createdAt: address.createdAt?.toISOString() ?? null,
    confirmedAt: address.confirmedAt?.toISOString() ?? null,
    suppressedAt: address.suppressedAt?.toISOString() ?? null,
  };
}

export function representSubscriber(subscriber: Subscriber): Representation {
  return { body: addressJson(subscriber) };
}

/** Where a list of addresses stands after one of them. */
export function positionOf({ id, email, suppressedAt }: NonNullable<AddressListInput['after']>): Position {
  return [id, email, suppressedAt?.getTime() ?? 0];
}

/** @param position what positionOf() made */
export function addressAt([id, email, suppressedAt]: Position): AddressListInput['after'] {
  return { id: String(id), email: String(email), suppressedAt: new Date(Number(suppressedAt)) };
}

type CsvInput = {
  deps: { sql: Sql; secretKey: string };
  page: { slug: string };
  query: Parameters<'limit' | 'cursor' | 'q' | 'state'>;
  /** Name of the list in its cursors. */
  name: string;
  list: Omit<AddressListInput, 'limit'>;
};

/** Answers with a list as CSV, up to its bound; a Link header leads to the rest. @throws ServiceError `invalidParameter` */
export async function addressesAsCsv(
  ctx: Context,
  { deps, page, query: { limit, cursor: _, ...filter }, name, list }: CsvInput,
): Promise<void> {
  if (limit !== undefined) {
    throw invalid(`Parameter "limit" is for JSON; an answer in CSV has up to ${csvAddressesMax} addresses.`);
  }
  const parts = [csvRow(columns)];
  let { after } = list;
  let goesOn = true;
  for (let count = 0; goesOn && count < csvAddressesMax; count += batchRows) {
    const rows = await listAddresses(deps, { ...list, after, limit: batchRows + 1 });
    const shown = rows.slice(0, batchRows);
    parts.push(shown.map(csvOf).join(''));
    after = shown.at(-1) ?? after;
    goesOn = rows.length > batchRows;
    await nextTurn();
  }
  if (goesOn && after !== undefined) {
    const next = new URLSearchParams({
      ...filter,
      cursor: sealCursor(deps.secretKey, name, positionOf(after)),
    });
    ctx.set('link', `</api/v1/pages/${page.slug}/subscribers?${next}>; rel="next"`);
  }
  ctx.set('cache-control', 'private, no-store');
  ctx.set('content-disposition', `attachment; filename="subscribers-${page.slug}.csv"`);
  ctx.type = 'text/csv; charset=utf-8; header=present';
  ctx.body = parts.join('');
}

function csvOf(address: ListedAddress): string {
  const fields = addressJson(address);
  return csvRow(columns.map((name) => fields[name]));
}
