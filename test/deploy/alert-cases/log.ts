import { type AlertCase, cases, target } from './alert-case.js';

const { instance } = target;

/** A histogram of writes that all fall between two of its bounds. */
const syncs = ({ above, to }: { above: string; to: string }): Record<string, string> => ({
  [`heartline_log_sync_seconds_bucket{le="${above}"}`]: '0x20',
  [`heartline_log_sync_seconds_bucket{le="${to}"}`]: '0+600x20',
  'heartline_log_sync_seconds_bucket{le="+Inf"}': '0+600x20',
});

export const ofLog: AlertCase[] = [
  ...cases('HeartlineLogGrows', {
    firing: [
      {
        when: 'ClickHouse has taken nothing for ten minutes',
        series: { heartline_log_oldest_seconds: '1+60x20' },
        atMinutes: 10,
        fires: {
          labels: { instance },
          summary: 'Acknowledged events wait in the log of 10.0.0.1:8080, the oldest for 10m 1s',
        },
      },
    ],
    quiet: [
      {
        when: 'ClickHouse restarts',
        series: { heartline_log_oldest_seconds: '1 1 60 120 180 1x20' },
        atMinutes: 4,
      },
    ],
  }),
  ...cases('HeartlineLogNearlyFull', {
    firing: [
      {
        when: 'it has filled up',
        series: { heartline_log_used_ratio: '0+0.1x9 0.9x10' },
        atMinutes: 11,
        fires: {
          labels: { instance },
          summary: 'The log of 10.0.0.1:8080 takes 90% of what it may; at 100 % events get 503',
        },
      },
    ],
    quiet: [{ when: 'half is free', series: { heartline_log_used_ratio: '0.5x20' }, atMinutes: 15 }],
  }),
  ...cases('HeartlineLogDamaged', {
    firing: [
      {
        when: 'an instance finds damage while it runs',
        series: { heartline_log_damaged_total: '0x70 1x30' },
        atMinutes: 75,
        fires: {
          labels: { instance },
          summary: '10.0.0.1:8080 found damage in its log: the disk changed what was written',
        },
      },
      {
        when: 'an instance finds damage at its start, before it is scraped',
        series: { heartline_log_damaged_total: '1x100' },
        atMinutes: 5,
        fires: {
          labels: { instance },
          summary: '10.0.0.1:8080 found damage in its log: the disk changed what was written',
        },
      },
    ],
    quiet: [
      { when: 'there is none', series: { heartline_log_damaged_total: '0x100' }, atMinutes: 75 },
      {
        when: 'it was found long ago',
        series: { heartline_log_damaged_total: '1x200' },
        atMinutes: 150,
      },
    ],
  }),
  ...cases('HeartlineLogSlow', {
    firing: [
      {
        when: 'each write takes 0.1 to 0.5 s',
        series: syncs({ above: '0.1', to: '0.5' }),
        atMinutes: 16,
        fires: {
          labels: { instance },
          summary: 'The 99th percentile of writes to the log of 10.0.0.1:8080 takes 496ms',
        },
      },
    ],
    quiet: [
      {
        when: 'each takes 1 to 2.5 ms',
        ...{ series: syncs({ above: '0.001', to: '0.0025' }), atMinutes: 16 },
      },
    ],
  }),
];
