import { type AlertCase, cases, target } from './alert-case.js';

export const ofEvents: AlertCase[] = [
  ...cases('HeartlineClickHouseBuffered', {
    firing: [
      {
        when: 'batches wait for minutes',
        series: { 'heartline_delivery_batches_waiting{store="default"}': '0 3x20' },
        atMinutes: 8,
        fires: {
          labels: {},
          summary: '3 batches wait in PostgreSQL, because ClickHouse does not take them',
        },
      },
    ],
    quiet: [
      {
        when: 'they are delivered at once, and those of a page wait',
        series: {
          'heartline_delivery_batches_waiting{store="default"}': '0 3 3 0x20',
          'heartline_delivery_batches_waiting{store="pages"}': '3x20',
          'heartline_delivery_batches_waiting{store="pool-reports"}': '3x20',
        },
        atMinutes: 8,
      },
    ],
  }),
  ...cases('HeartlinePoolReportsWait', {
    firing: [
      {
        when: 'the oldest report is ten minutes old',
        series: { 'heartline_delivery_oldest_seconds{store="pool-reports"}': '0+60x20' },
        atMinutes: 10,
        fires: {
          labels: {},
          summary: 'Pool reports wait for ClickHouse in PostgreSQL, the oldest for 10m 0s',
        },
      },
    ],
    quiet: [
      {
        when: 'a few wait for a moment',
        series: { 'heartline_delivery_oldest_seconds{store="pool-reports"}': '30x20' },
        atMinutes: 15,
      },
    ],
  }),
  ...cases('HeartlinePageStoreBuffered', {
    firing: [
      {
        when: 'the oldest batch is over half an hour old',
        series: { 'heartline_delivery_oldest_seconds{store="pages"}': '1800+60x20' },
        atMinutes: 7,
        fires: { labels: {}, summary: "A page's own event store has been unavailable for 37m 0s" },
      },
    ],
    quiet: [
      {
        when: 'only others are',
        series: {
          'heartline_delivery_oldest_seconds{store="pages"}': '300x20',
          'heartline_delivery_oldest_seconds{store="default"}': '1800+60x20',
        },
        atMinutes: 7,
      },
    ],
  }),
  ...cases('HeartlineBatchesRemoved', {
    firing: [
      {
        when: 'ten are removed',
        series: { 'heartline_delivery_batches_removed{store="pages"}': '0x5 10x20' },
        atMinutes: 8,
        fires: {
          labels: { store: 'pages' },
          summary: 'Buffered batches of pages were removed to make room',
        },
      },
    ],
    quiet: [
      {
        when: 'some were removed long ago',
        series: { 'heartline_delivery_batches_removed{store="pages"}': '7x30' },
        atMinutes: 20,
      },
    ],
  }),
  ...cases('HeartlineBatchesExhausted', {
    firing: [
      {
        when: 'there are any',
        series: { 'heartline_delivery_batches_exhausted{store="default"}': '2x10' },
        atMinutes: 1,
        fires: {
          labels: { store: 'default' },
          summary: '2 batches were refused 50 times and wait for an operator',
        },
      },
    ],
    quiet: [
      {
        when: 'there are none',
        series: { 'heartline_delivery_batches_exhausted{store="default"}': '0x10' },
        atMinutes: 5,
      },
    ],
  }),
  ...cases('HeartlineInsertsFail', {
    firing: [
      {
        when: 'one fails every minute',
        series: { heartline_block_insert_failures_total: '0+1x30' },
        atMinutes: 15,
        fires: { labels: {}, summary: 'Inserts of events fail repeatedly' },
      },
    ],
    quiet: [
      {
        when: 'one fails',
        series: { heartline_block_insert_failures_total: '0x5 1x30' },
        atMinutes: 15,
      },
    ],
  }),
  ...cases('HeartlineInsertsSlow', {
    firing: [
      {
        when: 'each takes 1 to 5 s',
        series: {
          'heartline_block_insert_seconds_bucket{le="1"}': '0x20',
          'heartline_block_insert_seconds_bucket{le="5"}': '0+10x20',
          'heartline_block_insert_seconds_bucket{le="+Inf"}': '0+10x20',
        },
        atMinutes: 15,
        fires: { labels: {}, summary: 'The 99th percentile of inserts takes 4.96s' },
      },
    ],
    quiet: [
      {
        when: 'each takes up to 0.1 s',
        series: {
          'heartline_block_insert_seconds_bucket{le="0.1"}': '0+10x20',
          'heartline_block_insert_seconds_bucket{le="+Inf"}': '0+10x20',
        },
        atMinutes: 15,
      },
    ],
  }),
  ...cases('HeartlineEventsWaiting', {
    firing: [
      {
        when: 'over half of what a process takes waits',
        ...{ series: { heartline_events_waiting: '300000x20' }, atMinutes: 6 },
        fires: {
          labels: { instance: target.instance },
          summary: '300000 events wait on 10.0.0.1:8080, of 500,000 that a process takes',
        },
      },
    ],
    quiet: [
      {
        when: 'blocks leave',
        ...{ series: { heartline_events_waiting: '50000x20' }, atMinutes: 15 },
      },
    ],
  }),
  ...cases('HeartlineEventsRejected', {
    firing: [
      {
        when: 'one in eleven is too old',
        series: {
          'heartline_events_rejected_total{reason="too_old"}': '0+60x60',
          'heartline_events_rejected_total{reason="endpoint_limit"}': '0x60',
          heartline_events_accepted_total: '0+600x60',
        },
        atMinutes: 50,
        fires: {
          labels: { reason: 'too_old' },
          summary: '1.00 events a second are not counted: too_old',
        },
      },
    ],
    quiet: [
      {
        when: 'one in a hundred is',
        series: {
          'heartline_events_rejected_total{reason="too_old"}': '0+6x60',
          heartline_events_accepted_total: '0+600x60',
        },
        atMinutes: 50,
      },
      {
        when: 'nobody sends events',
        series: {
          'heartline_events_rejected_total{reason="too_old"}': '0x60',
          heartline_events_accepted_total: '0x60',
        },
        atMinutes: 50,
      },
    ],
  }),
  ...cases('HeartlinePoolReportsFail', {
    firing: [
      {
        when: 'PostgreSQL takes none',
        series: {
          'heartline_pool_reports_total{outcome="failed"}': '0+5x30',
          heartline_pool_block_insert_failures_total: '0x30',
        },
        atMinutes: 15,
        fires: { labels: {}, summary: 'Reports of connection pools are not stored' },
      },
      {
        when: 'ClickHouse takes none',
        series: {
          'heartline_pool_reports_total{outcome="failed"}': '0x30',
          heartline_pool_block_insert_failures_total: '0+1x30',
        },
        atMinutes: 15,
        fires: { labels: {}, summary: 'Reports of connection pools are not stored' },
      },
    ],
    quiet: [
      {
        when: 'all are stored, repeated or refused',
        series: {
          'heartline_pool_reports_total{outcome="failed"}': '0x30',
          'heartline_pool_reports_total{outcome="stored"}': '0+5x30',
          'heartline_pool_reports_total{outcome="duplicate"}': '0+5x30',
          'heartline_pool_reports_total{outcome="refused"}': '0+5x30',
          heartline_pool_block_insert_failures_total: '0x30',
        },
        atMinutes: 15,
      },
    ],
  }),
];
