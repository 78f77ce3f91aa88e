import t from 'tap';
import { describeThisProcess, fateOf, hasEnded } from '../../stack/process-identity.js';

const running = await describeThisProcess();
const earlier: object = { ...JSON.parse(running), startedAt: 'before the machine was started' };

t.test('the fate of a process of this machine is known', async (t) => {
  t.equal(await fateOf(running), 'running');
  t.notOk(await hasEnded(running));
  t.equal(await fateOf(JSON.stringify(earlier)), 'ended', 'its pid belongs to another process now');
  t.ok(await hasEnded(JSON.stringify(earlier)));
});

t.test('the fate of a process that cannot be seen from here is not known', async (t) => {
  const another = JSON.stringify({ ...earlier, space: 'another machine' });
  t.equal(await fateOf(another), 'unknown', 'the first namespace has the same number on every machine');
  t.notOk(await hasEnded(another));
  t.equal(await fateOf('no description'), 'unknown');
});
