-- By their names people know which program holds a key, and which one they may revoke.

alter table keys add column name text check (char_length(name) between 1 and 120);
comment on column keys.name is 'Who uses the key, such as "checkout on eu-1"; null when nobody has said';
