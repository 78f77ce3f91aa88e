import t from 'tap';
import { formatLogLine, openLog } from '../../service/start-log.js';

/** A terminal, or with `isTTY` false a pipe, that keeps what is written. */
function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => void written.push(text) };
}

/** The log of a first start. */
function start(log: ReturnType<typeof openLog>): void {
  log.begin('Starting the stores');
  log.begin('Starting the service');
  log.log.info({ store: 'postgres', migration: '0001_control.sql' }, 'A migration was applied.');
  log.log.info({ store: 'clickhouse', migration: '0001_landing.sql' }, 'A migration was applied.');
  log.end();
}

t.test('on a terminal a start takes one line, which is gone afterwards', async (t) => {
  const screen = terminal(true);
  const log = openLog({ level: 'info', terminal: screen, showsStart: true });
  start(log);
  const steps = ['Starting the stores', 'Starting the service'];
  const tables = ['Creating tables: postgres/0001_control', 'Creating tables: clickhouse/0001_landing'];
  t.strictSame(screen.written, [...[...steps, ...tables].map((step) => `\r\x1b[K${step}… 0 s`), '\r\x1b[K']);
  log.log.info({ waiting: 2 }, 'Points were computed; more batches wait.');
  t.match(
    screen.written.at(-1),
    /^\d\d:\d\d:\d\d info {2}Points were computed; more batches wait\. waiting=2\n$/,
  );
});

t.test('a warning during the start is printed', async (t) => {
  const screen = terminal(true);
  const log = openLog({ level: 'info', terminal: screen, showsStart: true });
  log.begin('Starting the stores');
  log.log.warn({ servers: ['a b'] }, 'Servers do not answer.');
  t.match(screen.written.at(-1), /warn {2}Servers do not answer\. servers=\["a b"\]\n$/);
  log.end();
});

t.test('other processes on a terminal show no start', async (t) => {
  const screen = terminal(true);
  start(openLog({ level: 'info', terminal: screen, showsStart: false }));
  t.strictSame(screen.written, []);
});

t.test('a file or a pipe gets every line, as JSON', async (t) => {
  const pipe = terminal(false);
  start(openLog({ level: 'info', terminal: pipe, showsStart: true }));
  t.match(
    pipe.written.map((line) => JSON.parse(line)),
    [
      { level: 30, migration: '0001_control.sql', msg: 'A migration was applied.' },
      { level: 30, migration: '0001_landing.sql', msg: 'A migration was applied.' },
    ],
  );
});

t.test('the format can be set', async (t) => {
  const screen = terminal(true);
  start(openLog({ level: 'info', format: 'json', terminal: screen, showsStart: true }));
  t.equal(screen.written.length, 2);
  t.match(JSON.parse(screen.written[0] ?? ''), { migration: '0001_control.sql' });

  const pipe = terminal(false);
  const log = openLog({ level: 'warn', format: 'text', terminal: pipe, showsStart: true });
  start(log);
  log.log.info({}, 'Below the level.');
  log.log.warn({}, 'A warning.');
  t.equal(pipe.written.length, 1);
  t.match(pipe.written[0], / warn {2}A warning\.\n$/);
});

t.test('an error follows its line with its stack', async (t) => {
  const pipe = terminal(false);
  const { log, end } = openLog({ level: 'info', format: 'text', terminal: pipe, showsStart: true });
  end();
  log.error({ err: new Error('The disk is full.'), store: 'ClickHouse' }, 'It did not start.');
  t.match(
    pipe.written[0],
    /^\S+ error It did not start\. store=ClickHouse\n {2}Error: The disk is full\.\n {6}at /,
  );
  const line = formatLogLine({ level: 50, time: 0, msg: 'It failed.', err: 'no error' });
  t.equal(line, '00:00:00 error It failed.\n');
});
