import type { TProperties } from 'typebox';
import { FailureGroupsParameters, FailuresParameters } from '../analytics/failures.js';
import { TopParameters, TotalsParameters } from '../analytics/figures.js';
import { MessageGroupsParameters, MessagesParameters } from '../analytics/messages.js';
import { CallsParameters, ReportersParameters } from '../analytics/reporters.js';
import { RequestsParameters } from '../analytics/requests.js';
import { VersionsParameters } from '../analytics/versions.js';
import { AcquisitionsParameters, DatabaseHealthParameters } from '../database-health.js';
import { RejectionsParameters } from '../rejections.js';
import type { FigurePath } from './boards.js';

const queries: Readonly<Record<FigurePath, { properties: TProperties }>> = {
  totals: TotalsParameters,
  requests: RequestsParameters,
  top: TopParameters,
  failures: FailuresParameters,
  'failures/groups': FailureGroupsParameters,
  messages: MessagesParameters,
  'messages/groups': MessageGroupsParameters,
  reporters: ReportersParameters,
  calls: CallsParameters,
  versions: VersionsParameters,
  rejections: RejectionsParameters,
  'database-health': DatabaseHealthParameters,
  'database-health/acquisitions': AcquisitionsParameters,
};

/** Parameters that a board gives each of its figures, or that make no sense in a tile. */
const notInTiles: readonly string[] = ['from', 'to', 'cursor'];

/** The names of the parameters that a tile may give each read. */
export function figureParameters(path: FigurePath): readonly string[] {
  return Object.keys(queries[path].properties).filter((name) => !notInTiles.includes(name));
}

/** Whether a read takes the time range of the board. */
export function takesRange(path: FigurePath): boolean {
  return 'from' in queries[path].properties;
}
