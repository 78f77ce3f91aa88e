import t from 'tap';
import { parseTarget } from '../../../control/monitors/monitor-settings.js';

function read(kind: 'http' | 'tcp', url: string): string {
  try {
    const target = parseTarget(kind, { url });
    return 'url' in target ? target.url : '';
  } catch (error) {
    return String(error);
  }
}

t.test('the address of a monitor is completed', async (t) => {
  const cases: ['http' | 'tcp', string, string][] = [
    ['http', 'example.com', 'https://example.com/'],
    ['http', ' example.com:8443/health?a=b ', 'https://example.com:8443/health?a=b'],
    ['http', 'localhost:3000', 'https://localhost:3000/'],
    ['http', '[::1]:3000/', 'https://[::1]:3000/'],
    ['http', 'http://example.com', 'http://example.com/'],
    ['http', 'bücher.example/x', 'https://xn--bcher-kva.example/x'],
    ['tcp', 'db.example.com:5432', 'tcp://db.example.com:5432'],
    ['tcp', 'db:postgresql', 'tcp://db:5432'],
    ['tcp', 'tcp://mail.example:SMTP', 'tcp://mail.example:25'],
    ['tcp', '[::1]:redis', 'tcp://[::1]:6379'],
    ['tcp', 'tcp://bücher.example:80', 'tcp://xn--bcher-kva.example:80'],
  ];
  t.strictSame(
    cases.map(([kind, url]) => read(kind, url)),
    cases.map(([, , expected]) => expected),
  );
});

t.test('an address that cannot be is refused with the reason', async (t) => {
  const cases: ['http' | 'tcp', string, RegExp][] = [
    ['http', 'nonsense', /"nonsense" is not a URL; give one such as/],
    ['http', 'ftp://example.com', /must start with http/],
    ['http', 'javascript:alert(1)', /must start with http/],
    ['http', 'https://example.com:0/', /must be 1 to 65535, not 0/],
    ['http', 'example.com:70000', /must be 1 to 65535, not 70000/],
    ['tcp', 'db:70000', /must be 1 to 65535, not 70000/],
    ['tcp', 'db:nothing', /must be a host and a port/],
    ['tcp', 'db', /must be a host and a port/],
  ];
  for (const [kind, url, expected] of cases) t.match(read(kind, url), expected, url);
});
