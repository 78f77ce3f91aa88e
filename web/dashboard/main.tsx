import { render } from 'preact';
import { App } from './app.js';
import { mendLanguage } from './mend-language.js';
import { readStart } from './start.js';

const root = document.getElementById('dashboard');
if (root === null) throw new Error('The document has no element "dashboard".');
const start = readStart(document);
// The document may be in a language that only the public pages have.
document.documentElement.lang = start.language;
mendLanguage();
render(<App start={start} />, root);
