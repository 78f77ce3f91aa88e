import { measureReads } from '../dashboard/measure-reads.js';
import { withFilledPage } from '../support/filled-page.js';
import { printGoals } from '../support/goals.js';
import { questions } from './questions.js';

/** Measures how long percentiles take over two weeks of 2,000 endpoints. */
await withFilledPage(async (page) => {
  printGoals([await measureReads(page, questions)]);
});
