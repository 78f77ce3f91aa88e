import { renderToString } from 'preact-render-to-string';
import { Markdown, type MarkdownStyles } from '../markdown/markdown.js';
import { parseMarkdown } from '../markdown/parse-markdown.js';
import { type AccentColours, accentColours } from '../views/accent.js';

/** Only what the page's people write has Markdown: a name in a fixed text may hold stars. */
export type EmailBody = { markdown: string } | { plain: string };

/** The identity of a page in an email. */
export type EmailBrand = {
  name: string;
  /** The address of the page, in the language of the email where the page has it, with a final slash. */
  url: string;
  /** `#rrggbb`. */
  accent?: string;
  /** The address of an image that mail programs show. */
  logoUrl?: string;
  /** Whether the logo stands without the name. */
  logoAlone?: boolean;
};

export type EmailTable = { title: string; head: readonly string[]; rows: readonly (readonly string[])[] };

export type EmailLayout = {
  brand: EmailBrand;
  /** Language of the text; BCP 47 tag. */
  language: string;
  subject: string;
  label?: string;
  title: string;
  text: EmailBody;
  /** Name and value; each pair is one line. */
  facts: readonly (readonly [name: string, value: string])[];
  /** Below the facts; the first cell of a row names it. */
  tables?: readonly EmailTable[];
  button?: { text: string; url: string };
  note: string;
  manage?: { text: string; url: string };
  unsubscribe?: { text: string; url: string };
};

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const mono = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:14px';
const bodyStyles = {
  paragraph: 'margin:0 0 16px',
  list: 'margin:0 0 16px;padding:0 0 0 24px',
  code: `padding:2px 5px;border-radius:4px;background:rgba(127,127,127,.15);${mono}`,
  codeBlock: `margin:0 0 16px;padding:12px;border:1px solid #e3e6ec;border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere;${mono}`,
  table: 'margin:0 0 16px;border-collapse:collapse;font-size:14px',
  cell: 'padding:6px 12px;border:1px solid #e3e6ec;vertical-align:top',
} satisfies MarkdownStyles;

/** The colours of a page without one of its own. */
const usual: Record<'light' | 'dark', AccentColours> = {
  light: { text: '#3346d3', onText: '#fff', tint: '#e8ebfd', onTint: '#2a3bb8' },
  dark: { text: '#98a7ff', onText: '#10142b', tint: '#232a4d', onTint: '#b9c3ff' },
};

const coloursOf = ({ accent }: EmailBrand, theme: 'light' | 'dark'): AccentColours =>
  accentColours(accent, theme) ?? usual[theme];

/** Mail programs drop much of a style sheet, so the colours of the light scheme are attributes of the elements. */
function darkStyle(brand: EmailBrand): string {
  const { text, onText, tint, onTint } = coloursOf(brand, 'dark');
  return `
@media (prefers-color-scheme:dark){
.ground{background:#0f1218!important}
.card{background:#181c25!important;border-color:#2b313e!important}
.ink{color:#eef0f6!important}
.ink a{color:${text}!important}
.ink pre,.ink td,.ink th{border-color:#2b313e!important}
.soft{color:#a8b0c2!important}
.label{background:${tint}!important;color:${onTint}!important}
.button{background:${text}!important;color:${onText}!important}
}`;
}

/** Renders an email as HTML: a card with a title, a text, facts and at most one button. */
export function renderEmailHtml(email: EmailLayout): string {
  const html = renderToString(
    <html lang={email.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>{email.subject}</title>
        <style dangerouslySetInnerHTML={{ __html: darkStyle(email.brand) }} />
      </head>
      <body class="ground" style="margin:0;background:#f4f5f8">
        <table class="ground" role="presentation" width="100%" style="background:#f4f5f8">
          <tr>
            <td align="center" style={`padding:24px 12px;${font}`}>
              <Card email={email} />
              <Footer email={email} />
            </td>
          </tr>
        </table>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Card({ email: { brand, label, title, text, facts, tables = [], button } }: { email: EmailLayout }) {
  const colours = coloursOf(brand, 'light');
  return (
    <table
      class="card"
      role="presentation"
      width="100%"
      style="max-width:560px;background:#fff;border:1px solid #e3e6ec;border-radius:12px"
    >
      <tr>
        <td style={`padding:28px;font-size:16px;line-height:1.5;color:#171b26;${font}`}>
          <Mark brand={brand} />
          {label !== undefined && <Label text={label} colours={colours} />}
          <h1 class="ink" style="margin:0 0 12px;font-size:22px;line-height:1.3;color:#171b26" dir="auto">
            {title}
          </h1>
          <Body text={text} linkColour={colours.text} />
          {facts.map(([name, value]) => (
            <p key={name} class="soft" style="margin:0 0 4px;font-size:14px;color:#555d70">
              {`${name}: `}
              <span class="ink" style="color:#171b26">
                {value}
              </span>
            </p>
          ))}
          {tables.map((table) => (
            <Table key={table.title} table={table} />
          ))}
          {button !== undefined && <Button button={button} colours={colours} />}
        </td>
      </tr>
    </table>
  );
}

function Table({ table: { title, head, rows } }: { table: EmailTable }) {
  return (
    <>
      <h2 class="ink" style="margin:24px 0 8px;font-size:16px;color:#171b26">
        {title}
      </h2>
      <table class="ink" width="100%" style={`${bodyStyles.table};color:#171b26`}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" align="left" style={bodyStyles.cell}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, i) => (
            <tr key={i}>
              {cells.map((cell, column) => (
                <td key={head[column]} dir="auto" style={bodyStyles.cell}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The logo and the name, which lead to the page. Where images are off, the name is in the place of a lone logo. */
function Mark({ brand: { name, url, logoUrl, logoAlone = false } }: { brand: EmailBrand }) {
  const isAlone = logoUrl !== undefined && logoAlone;
  return (
    <p style="margin:0 0 20px;font-size:14px;font-weight:600" dir="auto">
      <a class="soft" href={url} style="color:#555d70;text-decoration:none">
        {logoUrl !== undefined && (
          <img
            src={logoUrl}
            alt={isAlone ? name : ''}
            height="32"
            style={`display:block;height:32px;max-width:240px;border:0${isAlone ? '' : ';margin:0 0 8px'}`}
          />
        )}
        {!isAlone && name}
      </a>
    </p>
  );
}

function Label({ text, colours: { tint, onTint } }: { text: string; colours: AccentColours }) {
  return (
    <p style="margin:0 0 10px">
      <span
        class="label"
        style={`display:inline-block;padding:3px 10px;border-radius:999px;background:${tint};color:${onTint};font-size:13px;font-weight:600`}
      >
        {text}
      </span>
    </p>
  );
}

function Body({ text, linkColour }: { text: EmailBody; linkColour: string }) {
  return (
    <div class="ink" style="color:#171b26" dir="auto">
      {'plain' in text ? (
        <p style={bodyStyles.paragraph}>{text.plain}</p>
      ) : (
        <Markdown
          nodes={parseMarkdown(text.markdown)}
          styles={{ ...bodyStyles, link: `color:${linkColour}` }}
        />
      )}
    </div>
  );
}

type ButtonProps = { button: NonNullable<EmailLayout['button']>; colours: AccentColours };

function Button({ button: { text, url }, colours }: ButtonProps) {
  return (
    <p style="margin:24px 0 0">
      <a
        class="button"
        href={url}
        style={`display:inline-block;padding:12px 20px;border-radius:8px;background:${colours.text};color:${colours.onText};font-weight:600;text-decoration:none`}
      >
        {text}
      </a>
    </p>
  );
}

function Footer({ email: { note, manage, unsubscribe } }: { email: EmailLayout }) {
  return (
    <p class="soft" style="max-width:520px;margin:20px auto 0;font-size:13px;line-height:1.5;color:#555d70">
      {note}
      {[manage, unsubscribe].map(
        (link) =>
          link !== undefined && (
            <>
              {' '}
              <a class="soft" href={link.url} style="color:#555d70">
                {link.text}
              </a>
            </>
          ),
      )}
    </p>
  );
}
