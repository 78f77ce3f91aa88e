-- Who hears of what fails for good.

alter table pages
  add column owner_emails text[] not null default '{}' check (cardinality(owner_emails) <= 5);
comment on column pages.owner_emails is 'In lower case. They hear of what only the people who run the page can mend';
