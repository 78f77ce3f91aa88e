/** Every number of the published contract that a caller can run into, with its unit in the name. */
export const limits = {
  eventsPerBatch: 1_000,
  endpointsPerBatchAndService: 200,
  endpointsPerPage: 25_000,
  /** Services of v1 and reporters of v2 share this count. */
  sourcesPerPage: 2_000,
  endpointChars: 200,
  serviceChars: 60,
  messageChars: 200,
  reporterIdChars: 200,
  reporterLabelChars: 200,
  expectedEverySecondsMin: 15,
  expectedEverySecondsMax: 300,
  statusMin: 100,
  statusMax: 599,
  /** v2 takes events from this far back; v1 as far back as events are kept. */
  eventAgeSecondsMaxV2: 600,
  eventAheadSecondsMax: 60,
  eventRetentionDays: 14,
  /** After inflation; a thousand events of the longest fields, written out, stay below it. */
  eventBodyBytes: 2 * 1024 * 1024,
  sqlBodyBytes: 64 * 1024,
  /** That wait for a page's own event store; older ones are removed above it. */
  bufferedBatchesPerPage: 2_000,
  deliveryAttempts: 50,
  /** A page's batch that was tried for the last time may be deleted so long after it was made. */
  exhaustedBatchDays: 7,
  /** A longer `ms` than a day is stored as a day, so that a sum of milliseconds stays exact. */
  latencyMsMax: 86_400_000,
} as const;

export const unassignedService = 'Unassigned';
