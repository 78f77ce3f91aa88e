import { type AlertCase, cases } from './alert-case.js';

export const ofChecksAndMessages: AlertCase[] = [
  ...cases('HeartlineChecksLate', {
    firing: [
      {
        when: 'each starts 1 to 5 s late',
        series: {
          'heartline_check_lag_seconds_bucket{le="1"}': '0x20',
          'heartline_check_lag_seconds_bucket{le="5"}': '0+10x20',
          'heartline_check_lag_seconds_bucket{le="+Inf"}': '0+10x20',
        },
        atMinutes: 15,
        fires: { labels: {}, summary: 'The 99th percentile of checks starts 4.96s late' },
      },
    ],
    quiet: [
      {
        when: 'each starts on time',
        series: {
          'heartline_check_lag_seconds_bucket{le="0.025"}': '0+10x20',
          'heartline_check_lag_seconds_bucket{le="+Inf"}': '0+10x20',
        },
        atMinutes: 15,
      },
    ],
  }),
  ...cases('HeartlineChecksNotMade', {
    firing: [
      {
        when: 'one a minute is not made',
        series: { 'heartline_checks_total{outcome="none"}': '0+1x40' },
        atMinutes: 20,
        fires: { labels: {}, summary: 'Checks of monitors could not be made' },
      },
    ],
    quiet: [
      {
        when: 'others fail, or have an address that is not public',
        series: {
          'heartline_checks_total{outcome="none"}': '0x40',
          'heartline_checks_total{outcome="timeout"}': '0+1x40',
          'heartline_checks_total{outcome="blocked"}': '0+1x40',
        },
        atMinutes: 20,
      },
    ],
  }),
  ...cases('HeartlineChecksLost', {
    firing: [
      {
        when: 'twelve results are dropped',
        series: { heartline_checks_dropped_total: '0x5 12x20' },
        atMinutes: 8,
        fires: {
          labels: {},
          summary: 'Results of 12 checks were lost, because ClickHouse was unavailable for too long',
        },
      },
    ],
    quiet: [{ when: 'none is', series: { heartline_checks_dropped_total: '0x20' }, atMinutes: 8 }],
  }),
  ...cases('HeartlineCheckInsertsFail', {
    firing: [
      {
        when: 'ClickHouse takes none',
        series: { heartline_check_insert_failures_total: '0+1x30' },
        atMinutes: 15,
        fires: {
          labels: {},
          summary: 'Results of checks wait in memory, because ClickHouse does not take them',
        },
      },
    ],
    quiet: [
      {
        when: 'one attempt fails',
        series: { heartline_check_insert_failures_total: '0x5 1x30' },
        atMinutes: 15,
      },
    ],
  }),
  ...cases('HeartlineOutboxLate', {
    firing: ['email', 'webhook', 'channel', 'person', 'translation'].map((kind) => ({
      when: `the oldest ${kind} is 45 minutes old`,
      series: {
        [`heartline_outbox_oldest_seconds{kind="${kind}"}`]: '0+60x60',
        [`heartline_outbox_waiting{kind="${kind}"}`]: '20x60',
      },
      atMinutes: 45,
      fires: { labels: { kind }, summary: `${kind}: the oldest one has waited for 45m 0s` },
    })),
    quiet: [
      {
        when: 'one receiver is unavailable, and many emails leave',
        series: {
          'heartline_outbox_oldest_seconds{kind="webhook"}': '0+60x60',
          'heartline_outbox_waiting{kind="webhook"}': '3x60',
          'heartline_outbox_oldest_seconds{kind="email"}': '60x60',
          'heartline_outbox_waiting{kind="email"}': '500x60',
        },
        atMinutes: 45,
      },
    ],
  }),
];
