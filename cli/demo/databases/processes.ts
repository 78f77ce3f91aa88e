import { plot } from '../plot.js';

/** A connection pool of a process of the demo. */
export type DemoPool = {
  system: string;
  target: string;
  pool: string;
  serverPool: string;
  driverVersion: string;
  maximum: number;
  /** Part of the connections that are busy at the usual load. */
  busyShare: number;
  acquisitionsPerSecond: number;
  /** A driver that does not say how many callers wait. */
  hidesWaiting?: boolean;
  /** Whether it is the pool of the plot that runs out. */
  runsOut?: boolean;
};

/** A process of the demo that reports its pools. */
export type DemoProcess = {
  service: string;
  revision: string;
  /** Minutes of the plot at which it starts, and those at which a later one takes its place. */
  from: number;
  to: number;
  pools: readonly DemoPool[];
};

const orders: DemoPool = {
  ...{
    system: 'postgresql',
    target: 'orders',
    pool: 'primary',
    serverPool: 'default',
    driverVersion: '8.16.3',
  },
  ...{ maximum: 20, busyShare: 0.34, acquisitionsPerSecond: 9, runsOut: true },
};
const catalog: DemoPool = {
  ...{
    system: 'postgresql',
    target: 'catalog',
    pool: 'replica',
    serverPool: 'default',
    driverVersion: '8.16.3',
  },
  ...{ maximum: 12, busyShare: 0.42, acquisitionsPerSecond: 26 },
};
const people: DemoPool = {
  ...{
    system: 'postgresql',
    target: 'accounts',
    pool: 'primary',
    serverPool: 'default',
    driverVersion: '8.16.3',
  },
  ...{ maximum: 16, busyShare: 0.22, acquisitionsPerSecond: 14 },
};
const money: DemoPool = {
  ...{ system: 'mysql', target: 'billing', pool: 'main', serverPool: 'default', driverVersion: '3.14.1' },
  ...{ maximum: 8, busyShare: 0.55, acquisitionsPerSecond: 5, hidesWaiting: true },
};
const documents = (serverPool: string, busyShare: number): DemoPool => ({
  ...{ system: 'mongodb', target: 'search', pool: 'main', driverVersion: '6.20.0', serverPool },
  ...{ maximum: 50, busyShare, acquisitionsPerSecond: 18 },
});

const { release } = plot;
const always = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const documentPools = [documents('shard-1/primary', 0.3), documents('shard-1/secondary', 0.18)];
const shopPools = [orders, catalog];

/** The shop starts again with its release, on two machines one after the other. */
export const processes: readonly DemoProcess[] = [
  { service: 'shop', revision: '4.11.3', ...always, to: release.from + 6, pools: shopPools },
  { service: 'shop', revision: '4.11.3', ...always, to: release.from + 14, pools: shopPools },
  { service: 'shop', revision: '4.12.0', ...always, from: release.from + 6, pools: shopPools },
  { service: 'shop', revision: '4.12.0', ...always, from: release.from + 14, pools: shopPools },
  { service: 'accounts', revision: '2.31.0', ...always, pools: [people] },
  { service: 'billing', revision: '1.9.2', ...always, pools: [money] },
  { service: 'search', revision: '7.4.1', ...always, pools: documentPools },
  { service: 'search', revision: '7.4.1', ...always, pools: documentPools },
];
