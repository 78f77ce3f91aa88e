-- From which day on a page's response times are published.

alter table pages add column response_times_since date not null default current_date;
comment on column pages.response_times_since is 'Earlier days are left out of the series, whatever is known of them';
