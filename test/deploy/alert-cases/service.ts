import { type AlertCase, cases, target } from './alert-case.js';

export const ofService: AlertCase[] = [
  ...cases('HeartlineDown', {
    firing: [
      {
        when: 'an instance does not answer',
        ...{ series: { up: '0x10' }, atMinutes: 3 },
        fires: { labels: target, summary: '10.0.0.1:8080 does not answer /metrics' },
      },
    ],
    quiet: [{ when: 'it restarts', series: { up: '1 0 1x10' }, atMinutes: 5 }],
  }),
  ...cases('HeartlineServerErrors', {
    firing: [
      {
        when: 'one request in eleven fails',
        series: {
          'heartline_http_request_seconds_count{route="/api/v1/events",method="POST",status="202"}':
            '0+60x20',
          'heartline_http_request_seconds_count{route="/api/v1/analytics/rejections",method="GET",status="503"}':
            '1+6x20',
        },
        atMinutes: 16,
        fires: { labels: {}, summary: '0.10 requests a second fail, more than 1 %' },
      },
    ],
    quiet: [
      {
        when: 'one request fails',
        series: {
          'heartline_http_request_seconds_count{route="/api/v1/events",method="POST",status="202"}':
            '0+60x20',
          'heartline_http_request_seconds_count{route="/api/v1/analytics/rejections",method="GET",status="503"}':
            '0 1x20',
        },
        atMinutes: 16,
      },
    ],
  }),
  ...cases('HeartlinePostgresNotAnswering', {
    firing: [
      {
        when: 'the gauges of backlogs are missing',
        series: { up: '1x20', 'heartline_delivery_batches_waiting{store="default"}': '0 0 stale' },
        atMinutes: 10,
        fires: { labels: target, summary: '10.0.0.1:8080 gets no answer from PostgreSQL' },
      },
    ],
    quiet: [
      {
        when: 'they are there',
        series: { up: '1x20', 'heartline_delivery_batches_waiting{store="default"}': '0x20' },
        atMinutes: 10,
      },
    ],
  }),
  ...cases('HeartlineEventLoopSlow', {
    firing: [
      {
        when: 'every hundredth turn takes 0.8 s',
        ...{ series: { nodejs_eventloop_lag_p99_seconds: '0.8x20' }, atMinutes: 12 },
        fires: {
          labels: { instance: target.instance },
          summary: '10.0.0.1:8080 blocks its event loop for 800ms at a time',
        },
      },
    ],
    quiet: [
      {
        when: 'one scrape finds such turns',
        ...{ series: { nodejs_eventloop_lag_p99_seconds: '0.01x5 0.8 0.01x20' }, atMinutes: 12 },
      },
    ],
  }),
  ...cases('HeartlineFlooded', {
    firing: [
      {
        when: 'two public reads a second are refused',
        series: {
          heartline_public_reads_shed_total: '0+120x20',
          heartline_connections_refused_total: '0x20',
        },
        atMinutes: 10,
        fires: { labels: {}, summary: '2 public reads or connections a second are refused' },
      },
      {
        when: 'two connections a second are refused',
        series: {
          heartline_public_reads_shed_total: '0x20',
          heartline_connections_refused_total: '0+120x20',
        },
        atMinutes: 10,
        fires: { labels: {}, summary: '2 public reads or connections a second are refused' },
      },
    ],
    quiet: [
      {
        when: 'six a minute are',
        series: {
          heartline_public_reads_shed_total: '0+6x20',
          heartline_connections_refused_total: '0x20',
        },
        atMinutes: 10,
      },
    ],
  }),
  ...cases('HeartlineJobLate', {
    firing: [
      ['compute-points', '0+60x30', '22m 0s'],
      ['prune-names', '10000+60x30', '3h 8m 40s'],
      ['prune-notifications', '176000+60x30', '2d 1h 15m 20s'],
    ].map(([job = '', values = '', age]) => ({
      when: `${job} fails`,
      series: { [`heartline_job_last_success_age_seconds{job_name="${job}"}`]: values },
      atMinutes: 22,
      fires: { labels: { job_name: job }, summary: `The job ${job} has not succeeded for ${age}` },
    })),
    quiet: [
      {
        when: 'every job is on schedule',
        series: {
          'heartline_job_last_success_age_seconds{job_name="compute-points"}': '59x90',
          'heartline_job_last_success_age_seconds{job_name="prune-pool-reports"}': '299x90',
          'heartline_job_last_success_age_seconds{job_name="prune-names"}': '0+60x90',
          'heartline_job_last_success_age_seconds{job_name="prune-notifications"}': '81000+60x90',
        },
        atMinutes: 90,
      },
    ],
  }),
];
