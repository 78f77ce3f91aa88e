/**
 * Takes the code of a link out of the fragment of the address, which browsers never send, and puts it into the field
 * where people paste it otherwise. A form that has no other field is sent at once.
 */
const code = location.hash.slice(1);
const field = document.querySelector<HTMLInputElement>('[data-link-code]');

if (field !== null && /^\w+$/.test(code)) {
  // A code that was refused stays in sight.
  const isRefused = field.getAttribute('aria-invalid') === 'true';
  field.value = code;
  field.closest<HTMLElement>('.form-field')?.toggleAttribute('hidden', !isRefused);
  // Another language needs the code as well.
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-language]')) link.hash = code;
  if (!isRefused) field.form?.querySelector<HTMLInputElement>('[autofocus]:not([data-link-code])')?.focus();
  if (field.form?.dataset['send'] !== undefined && !isRefused) field.form.submit();
} else if (field !== null && field.value !== '' && field.getAttribute('aria-invalid') !== 'true') {
  field.closest<HTMLElement>('.form-field')?.toggleAttribute('hidden', true);
}

// A link to this very page only changes the fragment, and loads nothing.
addEventListener('hashchange', () => {
  const address = new URL(location.href);
  address.searchParams.delete('kept');
  address.searchParams.set('again', String(Number(address.searchParams.get('again')) + 1));
  location.replace(address);
});
