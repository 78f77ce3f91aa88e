import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import t from 'tap';
import { type KeptMail, startMailSink } from '../../cli/demo/mail-sink.js';
import { openSmtp } from '../../control/subscribers/mail/smtp.js';
import { makeStoppedClock } from '../support/moving-clock.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const clock = makeStoppedClock();
const folder = join(await temporaryFolder(t), 'demo-mails');
const kept: KeptMail[] = [];
const sink = await startMailSink({ port: 0, folder, clock, onMail: (mail) => kept.push(mail) });
if (sink === undefined) throw new Error('A free port is taken.');
t.teardown(sink.stop);
const smtp = openSmtp(sink.url);
t.teardown(() => smtp.close());

const send = (text: string, to = 'ann@example.com') =>
  smtp.send(
    {
      ...{ messageId: 'one@example.com', from: { name: 'Acme', address: 'status@example.com' }, to },
      ...{ date: new Date(clock.now()), subject: 'Zahlungen gestört', text, html: '', headers: {} },
    },
    AbortSignal.timeout(10_000),
  );

t.test('the demo keeps each mail as a file that mail programs open', async (t) => {
  await send('Wir suchen die Ursache.');
  t.match(kept, [{ to: 'ann@example.com' }]);
  const mail = await simpleParser(await readFile(kept[0]?.file ?? ''));
  t.match(mail, { subject: 'Zahlungen gestört', text: /Wir suchen die Ursache\./ });
});

t.test('one that is too large is refused, and the next one is kept', async (t) => {
  await t.rejects(send('x'.repeat(2 * 1024 ** 2)));
  await send('Es geht wieder.');
  t.equal(kept.length, 2);
  t.equal((await readdir(folder)).length, 2);
});

t.test('the oldest of more than 200 are deleted, and no other file', async (t) => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '0000-notes.txt'), 'Mine.');
  await Promise.all(Array.from({ length: 200 }, (_, at) => writeFile(join(folder, `0001-${at}.eml`), '')));
  await send('Noch eine.');
  const names = await readdir(folder);
  t.equal(names.filter((name) => name.endsWith('.eml')).length, 200);
  t.ok(names.includes('0000-notes.txt'));
  const own = kept.map(({ file }) => file.slice(folder.length + 1));
  t.ok(own.every((name) => names.includes(name)));
});

t.test('a port that is taken is no error', async (t) => {
  const port = Number(new URL(sink.url).port);
  t.equal(await startMailSink({ port, folder, clock, onMail() {} }), undefined);
});
