import t from 'tap';
import { jobs } from '../../../service/jobs/jobs.js';
import { jobTexts } from '../../../web/dashboard/kit/job-texts.js';
import { nameOfJob } from '../../../web/dashboard/kit/person.js';

t.test('every job has a name and a sentence in both languages, and no two have the same', (t) => {
  const names = jobs.map(({ name }) => name).sort();
  for (const texts of [jobTexts.en, jobTexts.de]) {
    t.strictSame(Object.keys(texts.jobs).sort(), names);
    const said = Object.values(texts.jobs);
    t.equal(new Set(said.map(({ name }) => name)).size, names.length);
    t.strictSame(
      said.filter(({ does }) => !does.endsWith('.')),
      [],
    );
  }
  t.equal(nameOfJob('watch-monitors', jobTexts.de), 'Monitore überwachen');
  t.equal(nameOfJob('a-newer-job', jobTexts.en), 'a-newer-job');
  t.end();
});
