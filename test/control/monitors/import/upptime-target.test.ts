import fc from 'fast-check';
import t from 'tap';
import { targetOf } from '../../../../control/monitors/import/upptime-target.js';
import { propertyOf } from '../../../support/property.js';

const target = (url: string, check?: string, port?: string) => targetOf({ url, check, port });

t.test('a site becomes the monitor of what Upptime checks', async (t) => {
  for (const [[url, check, port], monitor] of [
    [['https://a.example.com/x'], { kind: 'http', url: 'https://a.example.com/x' }],
    [
      ['https://a.example.com/x?$filter=y', 'http'],
      { kind: 'http', url: 'https://a.example.com/x?$filter=y' },
    ],
    [['HTTP://a.example.com', 'http'], { kind: 'http', url: 'HTTP://a.example.com' }],
    [['a.example.com', 'http'], { kind: 'http', url: 'http://a.example.com' }],
    [['a.example.com:8080/x', 'http'], { kind: 'http', url: 'http://a.example.com:8080/x' }],
    [['192.0.2.1', 'tcp-ping', '53'], { kind: 'tcp', url: 'tcp://192.0.2.1:53' }],
    [['2001:db8::1', 'tcp-ping', '53'], { kind: 'tcp', url: 'tcp://[2001:db8::1]:53' }],
    [['https://a.example.com/x', 'tcp-ping', '22'], { kind: 'tcp', url: 'tcp://a.example.com:22' }],
    [['tcp://a.example.com:22'], { kind: 'tcp', url: 'tcp://a.example.com:22' }],
  ] as const)
    t.strictSame(target(url, check, port), monitor, url);
});

t.test('a site is refused with a reason and the monitor for it', async (t) => {
  for (const [[url, check, port], reason, suggested] of [
    [['$SECRET_SITE'], /in the secret \$SECRET_SITE/, { kind: 'http', url: 'https://HOST/' }],
    [
      ['https://a.example.com/?key=$KEY', 'http'],
      /put its value in the place of \$KEY/,
      { kind: 'http', url: 'https://a.example.com/?key=$KEY' },
    ],
    [
      ['https://user:$PASSWORD@a.example.com/'],
      /secret \$PASSWORD/,
      { kind: 'http', url: 'https://a.example.com/' },
    ],
    [['$HOST_OF_DB', 'tcp-ping', '5432'], /secret \$HOST_OF_DB/, { kind: 'tcp', url: 'tcp://HOST:5432' }],
    [['a.example.com'], /does not say how it is checked/, { kind: 'tcp', url: 'tcp://a.example.com:PORT' }],
    [['a.example.com:25'], /does not say how it is checked/, { kind: 'tcp', url: 'tcp://a.example.com:25' }],
    [
      ['a.example.com', 'tcp-ping'],
      /\.upptimerc\.yml has no port for it/,
      { kind: 'tcp', url: 'tcp://a.example.com:PORT' },
    ],
    [
      ['a.example.com', 'tcp-ping', '$PORT'],
      /no usable host and port/,
      { kind: 'tcp', url: 'tcp://a.example.com:PORT' },
    ],
    [['wss://a.example.com/x'], /no WebSocket/, { kind: 'tcp', url: 'tcp://a.example.com:443' }],
    [['ws://a.example.com:81/', 'ws'], /no WebSocket/, { kind: 'tcp', url: 'tcp://a.example.com:81' }],
    [['ws://a.example.com'], /no WebSocket/, { kind: 'tcp', url: 'tcp://a.example.com:80' }],
    [
      ['a.example.com', 'ssl', '8443'],
      /its certificate alone/,
      { kind: 'http', url: 'https://a.example.com:8443/', tlsExpiryDays: 7 },
    ],
    [
      ['ftp://a.example.com/'],
      /neither of HTTP nor of TCP/,
      { kind: 'tcp', url: 'tcp://a.example.com:PORT' },
    ],
    [
      ['https://user:password@a.example.com/'],
      /must not hold a user name or password/,
      { kind: 'http', url: 'https://a.example.com/' },
    ],
    [['https://a b/'], /its URL is not valid/, { kind: 'http', url: 'https://HOST/' }],
  ] as const)
    t.match(target(url, check, port), { reason, suggested }, url);
});

t.test('no text of a repository throws, and no password is suggested', async (t) => {
  const url = fc.oneof(fc.string(), fc.webUrl(), fc.domain(), fc.ipV6());
  const check = fc.constantFrom(undefined, 'http', 'tcp-ping', 'ws', 'ssl', 'other');
  const port = fc.option(fc.oneof(fc.string(), fc.nat().map(String)), { nil: undefined });
  fc.assert(
    fc.property(url, check, port, (url, check, port) => {
      const found = targetOf({ url, check, port });
      t.ok(['http', 'tcp'].includes('reason' in found ? found.suggested.kind : found.kind));
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  const unusual = ['https:', 'https:/', 'https:///', 'https:\\\\', 'https://\t/'] as const;
  const scheme = fc.constantFrom('', 'https://', 'wss://', 'ftp://', 'tcp://', 'ssh://', ...unusual);
  const host = fc.constantFrom('a.example.com/', 'a.example.com/?key=$KEY', '$HOST', 'a b');
  fc.assert(
    fc.property(scheme, host, check, port, (scheme, host, check, port) => {
      const found = targetOf({ url: `${scheme}user:s3cret@${host}`, check, port });
      t.notMatch(JSON.stringify(found), /s3cret/, { scheme, host, check, port });
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});
