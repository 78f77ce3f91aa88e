/** The limits of the published contract that a caller can reach, with their units in the names. */
export const limits = {
  eventsPerBatch: 1_000,
  endpointsPerBatchAndService: 200,
  endpointsPerPage: 25_000,
  /** Services of v1 and reporters of v2 are counted together. */
  sourcesPerPage: 2_000,
  endpointChars: 200,
  serviceChars: 60,
  versionChars: 100,
  environmentChars: 60,
  /** Versions, each in its environments, whose requests count apart at the same time. */
  versionsPerService: 20,
  messageChars: 200,
  /** Samples of failing events: their number for an endpoint, minute and type of error, and the size of their parts. */
  samplesPerMinute: 20,
  sampleStackBytes: 4_096,
  sampleAttributes: 16,
  sampleAttributeNameChars: 60,
  sampleAttributeChars: 200,
  errorTypeChars: 120,
  traceIdChars: 64,
  reporterIdChars: 200,
  batchIdChars: 64,
  /** How long a batch with the id of an earlier one is taken for the same. */
  batchIdMinutes: 15,
  reporterLabelChars: 200,
  expectedEverySecondsMin: 15,
  expectedEverySecondsMax: 300,
  statusMin: 100,
  statusMax: 599,
  /** Oldest event that v2 accepts; v1 accepts events as old as the retention. */
  eventAgeSecondsMaxV2: 600,
  eventAheadSecondsMax: 60,
  eventRetentionDays: 14,
  /** How long requests are kept by the hour: by endpoint, and by service and of the page, which is kept by the day for good. */
  endpointHoursDays: 100,
  serviceHoursDays: 400,
  /** Largest body after decompression. A thousand events with the longest fields stay below it. */
  eventBodyBytes: 2 * 1024 * 1024,
  /** Largest OTLP body after decompression, and the spans or data points in it that count. */
  otlpBodyBytes: 4 * 1024 * 1024,
  otlpItemsMax: 10_000,
  /** Counted by the data points of one body. */
  otlpRequestsMax: 100_000_000,
  /** With requests in them, of the data points of one body: 100,000 take 40 ms to count. */
  otlpBucketsMax: 100_000,
  /** With counts in them, of the cumulative data points of one body, whose differences are few of them. */
  cumulativeBucketsMax: 200_000,
  /** Series of cumulative data points that a page may have, and those of one sender and metric among them. */
  cumulativeSeriesPerPage: 100_000,
  cumulativeSeriesPerMetric: 10_000,
  /**
   * A series without a point for so long is forgotten. Processes that have ended leave theirs: a fleet that is deployed
   * several times an hour would reach the bounds above with a longer one.
   */
  cumulativeIdleMinutes: 60,
  /** A series whose start is younger counts from its start. */
  cumulativeFreshMinutes: 5,
  /** Histograms that a page may forward from Prometheus; each has some 15 series there. */
  remoteWriteSeriesMax: 50_000,
  sqlBodyBytes: 64 * 1024,
  /** Batches that may wait for the event store of a page. Beyond, the oldest are removed. */
  bufferedBatchesPerPage: 2_000,
  deliveryAttempts: 50,
  /** Age at which a batch of a page may be deleted after its last attempt. */
  exhaustedBatchDays: 7,
  /** A longer `ms` is stored as a day, so that sums of milliseconds stay exact. */
  latencyMsMax: 86_400_000,
} as const;

export const unassignedService = 'Unassigned';

/** Returns a number as sentences have it: 200,000. */
export function withCommas(value: number): string {
  return value.toLocaleString('en');
}
