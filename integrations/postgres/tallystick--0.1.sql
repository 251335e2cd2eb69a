-- SPDX-License-Identifier: Apache-2.0
\echo Run CREATE EXTENSION tallystick to load this file. \quit

-- Policies. The document is a policy file as JSON.
CREATE TABLE tally_policies (
    name text PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9_]{0,61}$'),
    document json NOT NULL
);

-- The fingerprint of each key that the policies name, so that another key ring is refused instead of
-- giving other tokens.
CREATE TABLE tally_keys (
    key text PRIMARY KEY,
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32)
);

SELECT pg_catalog.pg_extension_config_dump('tally_policies', '');
SELECT pg_catalog.pg_extension_config_dump('tally_keys', '');

CREATE FUNCTION tally_policies_check() RETURNS trigger
    AS 'MODULE_PATHNAME', 'tally_pg_policies_check' LANGUAGE C;
CREATE FUNCTION tally_policies_changed() RETURNS trigger
    AS 'MODULE_PATHNAME', 'tally_pg_policies_changed' LANGUAGE C;
CREATE TRIGGER checked BEFORE INSERT OR UPDATE ON tally_policies
    FOR EACH ROW EXECUTE FUNCTION tally_policies_check();
CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tally_policies
    FOR EACH STATEMENT EXECUTE FUNCTION tally_policies_changed();
CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tally_keys
    FOR EACH STATEMENT EXECUTE FUNCTION tally_policies_changed();

CREATE FUNCTION tally_policy_rules(document json, OUT column_name text, OUT format text, OUT key text,
                                   OUT namespace text, OUT tweak text, OUT on_invalid text, OUT one_way boolean, OUT head bytea)
    RETURNS SETOF record AS 'MODULE_PATHNAME', 'tally_pg_policy_rules'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tally_policy_unlisted(document json, column_name text) RETURNS text
    AS 'MODULE_PATHNAME', 'tally_pg_policy_unlisted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tally_key_fingerprint(key text) RETURNS bytea
    AS 'MODULE_PATHNAME', 'tally_pg_key_fingerprint' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION tally_status() RETURNS text
    AS 'MODULE_PATHNAME', 'tally_pg_status' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW tally_rules AS
    SELECT policies.name || '.' || rules.column_name AS rule, policies.name AS policy, rules.column_name,
           rules.format, rules.key, rules.namespace, rules.tweak, rules.on_invalid, rules.one_way
    FROM tally_policies AS policies, tally_policy_rules(policies.document) AS rules;

-- What runs with the owner's rights looks for names in pg_catalog alone, and names what is ours with
-- its schema: others may have made functions and operators beside them. They may also have made functions
-- of our names for other types, so arguments have exactly the types of our functions.

-- Remembers which key a name stands for.
CREATE FUNCTION tally_key_pin(key text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO @extschema@.tally_keys VALUES (tally_key_pin.key, @extschema@.tally_key_fingerprint(tally_key_pin.key))
        ON CONFLICT DO NOTHING;
    IF (SELECT keys.fingerprint FROM @extschema@.tally_keys AS keys WHERE keys.key = tally_key_pin.key)
            IS DISTINCT FROM @extschema@.tally_key_fingerprint(tally_key_pin.key) THEN
        RAISE EXCEPTION 'tallystick: the key ring has another key % than the one that this database''s tokens are made with', tally_key_pin.key
            USING ERRCODE = 'config_file_error',
                  HINT = 'Let tallystick.keyring name the ring that this database was set up with.';
    END IF;
END $$;

-- Adds a policy, or replaces one.
CREATE FUNCTION tally_policy_set(policy text, document json, replace boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed text;
BEGIN
    PERFORM pg_advisory_xact_lock('@extschema@.tally_policies'::regclass::oid::bigint);
    IF policy IS NULL OR document IS NULL OR replace IS NULL THEN
        RAISE EXCEPTION 'tally_policy_set: an argument is NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF policy !~ '^[a-z][a-z0-9_]{0,61}$' THEN
        RAISE EXCEPTION 'tally_policy_set: the name of a policy has a letter and up to 61 of a-z, 0-9 and _'
            USING ERRCODE = 'invalid_name';
    END IF;
    PERFORM @extschema@.tally_key_pin(keys.key)
        FROM (SELECT DISTINCT rules.key FROM @extschema@.tally_policy_rules(document) AS rules
              WHERE rules.key IS NOT NULL) AS keys;
    IF NOT replace THEN
        SELECT string_agg(format('"%s"', old.column_name), ', ') INTO changed
            FROM @extschema@.tally_policies AS policies, @extschema@.tally_policy_rules(policies.document) AS old
            LEFT JOIN @extschema@.tally_policy_rules(tally_policy_set.document) AS new USING (column_name)
            WHERE policies.name = policy
              AND (new.head IS NULL OR new.head <> old.head OR new.key IS DISTINCT FROM old.key
                   OR new.tweak IS DISTINCT FROM old.tweak
                   OR (old.on_invalid <> 'error' AND new.on_invalid <> old.on_invalid));
        IF changed IS NOT NULL THEN
            RAISE EXCEPTION 'tally_policy_set: tokens of these columns would change or be unreadable: %', changed
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = 'Give the policy another name, so that tokens that are there can still be revealed. '
                             'Or pass replace => true, and rebuild indexes and generated columns that call tally_protect.';
        END IF;
    END IF;
    INSERT INTO @extschema@.tally_policies VALUES (policy, tally_policy_set.document)
        ON CONFLICT (name) DO UPDATE SET document = EXCLUDED.document;
END $$;

-- Removes a policy. Tokens stay, and can be revealed when the policy is set again.
CREATE FUNCTION tally_policy_drop(policy text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM @extschema@.tally_policies AS policies WHERE policies.name = policy;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'tally_policy_drop: there is no policy of that name' USING ERRCODE = 'undefined_object';
    END IF;
END $$;

-- Tokens are the same as long as the rule is, so they can be indexed: IMMUTABLE. No index may hold
-- values that were revealed: STABLE. What depends on the user's rights is STABLE too.
DO $do$
DECLARE
    kind record;
    act record;
BEGIN
    FOR kind IN SELECT * FROM (VALUES
        ('text', 'text'), ('smallint', 'int2'), ('integer', 'int4'), ('bigint', 'int8'), ('numeric', 'numeric'),
        ('date', 'date'), ('timestamp', 'timestamp'), ('timestamptz', 'timestamptz'), ('inet', 'inet'),
        ('uuid', 'uuid'), ('jsonb', 'jsonb'), ('text[]', 'texts')) AS kinds (sql, c)
    LOOP
        FOR act IN SELECT * FROM (VALUES
            ('protect', 'IMMUTABLE', 'value'), ('reveal', 'STABLE', 'token'),
            ('protect_unless_granted', 'STABLE', 'value'), ('reveal_if_granted', 'STABLE', 'token'))
            AS acts (name, volatility, argument)
        LOOP
            CONTINUE WHEN kind.c = 'texts' AND act.name LIKE '%granted';
            EXECUTE pg_catalog.format(
                $$CREATE FUNCTION @extschema@.tally_%1$s(%2$s %3$s, rule text) RETURNS %3$s
                  AS 'MODULE_PATHNAME', 'tally_pg_%4$s_%1$s' LANGUAGE C %5$s STRICT PARALLEL SAFE COST 30$$,
                act.name, act.argument, kind.sql, kind.c, act.volatility);
            EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION @extschema@.tally_%s(%s, text) FROM PUBLIC', act.name, kind.sql);
            CONTINUE WHEN kind.c = 'texts';
            EXECUTE pg_catalog.format(
                $$CREATE FUNCTION @extschema@.tally_%1$s(%2$s %3$s, rule text, tweak text) RETURNS %3$s
                  AS 'MODULE_PATHNAME', 'tally_pg_%4$s_%1$s' LANGUAGE C %5$s PARALLEL SAFE COST 30$$,
                act.name, act.argument, kind.sql, kind.c, act.volatility);
            EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION @extschema@.tally_%s(%s, text, text) FROM PUBLIC', act.name, kind.sql);
        END LOOP;
    END LOOP;
END $do$;

-- The rule of each column of a table: that of its security label, or that of the policy's column of
-- the same name. The expression stands for the column in a query. What is assigned to the column is the
-- same, but an error if its type would round it.
CREATE FUNCTION tally_columns(relation regclass, policy text, function text,
                              OUT column_name name, OUT rule text, OUT expression text, OUT assigned text,
                              OUT one_way boolean, OUT tweak text, OUT recorded name)
    RETURNS SETOF record
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known record;
    type pg_type;
    modifier integer;
BEGIN
    IF policy IS NOT NULL AND NOT EXISTS (SELECT FROM @extschema@.tally_policies AS policies WHERE policies.name = policy) THEN
        RAISE EXCEPTION 'tallystick: there is no policy "%"', policy
            USING ERRCODE = 'undefined_object', HINT = 'SELECT * FROM tally_rules lists the policies and their rules.';
    END IF;
    FOR known IN
        WITH columns AS (
            SELECT attribute.attname, attribute.attnum, attribute.atttypid, attribute.atttypmod,
                   coalesce(label.label, rules.rule) AS rule,
                   (SELECT min(held.conname::text) FROM pg_constraint AS held
                    WHERE held.conrelid = attribute.attrelid AND held.conkey = ARRAY[attribute.attnum]
                    AND held.contype = 'c' AND held.conname LIKE 'tally\_protected\_%') AS recorded
            FROM pg_attribute AS attribute
            LEFT JOIN pg_seclabel AS label
                ON label.provider = 'tallystick' AND label.classoid = 'pg_class'::regclass
                AND label.objoid = attribute.attrelid AND label.objsubid = attribute.attnum
            LEFT JOIN @extschema@.tally_rules AS rules
                ON rules.policy = tally_columns.policy AND rules.column_name = attribute.attname
            WHERE attribute.attrelid = relation AND attribute.attnum > 0 AND NOT attribute.attisdropped)
        SELECT columns.*, rules.rule IS NOT NULL AS found, rules.one_way, rules.tweak,
               tweaked.attname AS tweak_column, tweaked.rule AS tweak_rule
        FROM columns LEFT JOIN @extschema@.tally_rules AS rules ON rules.rule = columns.rule
        LEFT JOIN columns AS tweaked ON tweaked.attname = rules.tweak
        ORDER BY columns.attnum
    LOOP
        column_name := known.attname;
        rule := known.rule;
        expression := format('%I', known.attname);
        one_way := coalesce(known.one_way, false);
        tweak := known.tweak;
        recorded := known.recorded;
        IF rule IS NOT NULL THEN
            IF NOT known.found THEN
                RAISE EXCEPTION 'tallystick: the label of column % of % names no rule', known.attname, relation
                    USING ERRCODE = 'undefined_object', HINT = 'SELECT * FROM tally_rules lists the rules.';
            END IF;
            IF known.tweak IS NOT NULL AND known.tweak_column IS NULL THEN
                RAISE EXCEPTION 'tallystick: % has no column %, the tweak of rule %', relation, known.tweak, known.rule
                    USING ERRCODE = 'undefined_column';
            END IF;
            IF known.tweak_rule IS NOT NULL THEN
                RAISE EXCEPTION 'tallystick: column % of % is protected too, so it can''t be the tweak of rule % of column %',
                    known.tweak, relation, known.rule, known.attname
                    USING ERRCODE = 'object_not_in_prerequisite_state',
                          HINT = 'Its values would not be available to reveal that column. Use a tweak that is not protected.';
            END IF;
            SELECT * INTO type FROM pg_type AS types WHERE types.oid = known.atttypid;
            modifier := known.atttypmod;
            WHILE type.typtype = 'd' LOOP
                modifier := greatest(modifier, type.typtypmod);
                SELECT * INTO type FROM pg_type AS types WHERE types.oid = type.typbasetype;
            END LOOP;
            IF type.typcategory = 'S' THEN
                SELECT * INTO type FROM pg_type AS types WHERE types.oid = 'text'::regtype;
            END IF;
            IF type.oid NOT IN ('text'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype,
                                'date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype, 'inet'::regtype,
                                'uuid'::regtype, 'jsonb'::regtype) THEN
                RAISE EXCEPTION 'tallystick: column % of % has the type %, which no function takes',
                    known.attname, relation, format_type(known.atttypid, known.atttypmod)
                    USING ERRCODE = 'datatype_mismatch', HINT = 'Change the type of the column to text.';
            END IF;
            expression := format('@extschema@.%I(%I::%s, %L::pg_catalog.text%s)', function, known.attname,
                                 type.oid::regtype, known.rule,
                                 CASE WHEN known.tweak IS NULL THEN '' ELSE format(', %I::pg_catalog.text', known.tweak) END);
            assigned := expression;
            IF modifier >= 0 AND type.oid IN ('numeric'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
                assigned := format('@extschema@.tally_exact(%s, %1$s::%s::%s)', expression,
                                   format_type(known.atttypid, known.atttypmod), type.oid::regtype);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

-- Refuses columns that the policy leaves in clear although unlisted = "error". Without a policy, those that
-- the labels name decide.
CREATE FUNCTION tally_check_columns(relation regclass, policy text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    clear text;
    named text;
BEGIN
    IF NOT EXISTS (SELECT FROM @extschema@.tally_columns(relation, policy, 'tally_protect'::text) AS columns
                   WHERE columns.rule IS NOT NULL) THEN
        RAISE EXCEPTION 'tallystick: no column of % has a rule', relation
            USING ERRCODE = 'undefined_object',
                  HINT = 'Pass the policy whose columns have the names of the table''s columns, or set security labels.';
    END IF;
    SELECT string_agg(DISTINCT columns.column_name, ', ') FILTER (WHERE said = 'error'),
           string_agg(DISTINCT columns.column_name, ', ') FILTER (WHERE said = 'unsaid')
        INTO clear, named
        FROM @extschema@.tally_columns(relation, policy, 'tally_protect'::text) AS columns, @extschema@.tally_policies AS policies,
             @extschema@.tally_policy_unlisted(policies.document, columns.column_name::text) AS said
        WHERE columns.rule IS NULL AND columns.column_name NOT IN ('tally_unprotected', 'tally_unrevealed')
        AND policies.name IN (SELECT coalesce(policy, split_part(labelled.rule, '.', 1))
                              FROM @extschema@.tally_columns(relation, policy, 'tally_protect'::text) AS labelled
                              WHERE labelled.rule IS NOT NULL);
    IF clear IS NOT NULL THEN
        RAISE EXCEPTION 'tallystick: these columns of % have no rule, and are not in keep of the policy: %', relation, clear
            USING ERRCODE = 'undefined_column', HINT = 'Add them to columns or to keep of the policy, or set security labels.';
    END IF;
    IF named IS NOT NULL THEN
        RAISE WARNING 'tallystick: these columns of % stay in clear: %', relation, named;
    END IF;
END $$;

-- Makes a view with the columns of a table, in which a role sees values if it may call tally_reveal,
-- and else tokens. stored says what the table holds: 'tokens' or 'values'.
CREATE FUNCTION tally_create_view(relation regclass, view text, policy text DEFAULT NULL,
                                  stored text DEFAULT 'tokens') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    columns text;
    path text[] := pg_catalog.parse_ident(view);
BEGIN
    IF stored IS NULL OR stored NOT IN ('tokens', 'values') THEN
        RAISE EXCEPTION 'tally_create_view: stored must be ''tokens'' or ''values''' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF stored = 'values' THEN
        PERFORM @extschema@.tally_check_columns(relation, policy);
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.format('%s AS %I', found.expression, found.column_name), ', ')
        INTO columns
        FROM @extschema@.tally_columns(relation, policy,
            CASE stored WHEN 'tokens' THEN 'tally_reveal_if_granted'::pg_catalog.text ELSE 'tally_protect_unless_granted' END) AS found;
    EXECUTE pg_catalog.format('CREATE VIEW %s AS SELECT %s FROM %s',
        (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(part), '.') FROM pg_catalog.unnest(path) AS part),
        columns, relation);
END $$;

DO $do$
DECLARE
    kind text;
BEGIN
    FOREACH kind IN ARRAY ARRAY['numeric', 'timestamp', 'timestamptz'] LOOP
        EXECUTE pg_catalog.format($$
CREATE FUNCTION @extschema@.tally_exact(token %1$s, stored %1$s) RETURNS %1$s
LANGUAGE plpgsql IMMUTABLE AS $body$
BEGIN
    IF token IS DISTINCT FROM stored THEN
        RAISE EXCEPTION 'tallystick: the column''s type rounds tokens'
            USING ERRCODE = 'numeric_value_out_of_range',
                  HINT = 'Give the column a type with as many digits as the format.';
    END IF;
    RETURN stored;
END $body$ $$, kind);
    END LOOP;
END $do$;

-- Notes which columns of a row another session changes, until tally_replace_table has replaced the whole
-- table. A changed tweak would leave a token that cannot be revealed. The arguments are the column `left_over`,
-- and an object with the tweak, or null, of each column.
CREATE FUNCTION tally_row_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before CONSTANT jsonb := to_jsonb(OLD);
    tweaks CONSTANT jsonb := TG_ARGV[1];
    changed text[];
    columns jsonb;
    bound text;
BEGIN
    SELECT array_agg(after.key) INTO changed FROM jsonb_each(to_jsonb(NEW)) AS after WHERE after.value <> before -> after.key;
    columns := before -> TG_ARGV[0] || to_jsonb(ARRAY(SELECT jsonb_object_keys(tweaks) INTERSECT SELECT unnest(changed)));
    SELECT string_agg(format('"%s"', tweaked.key), ', ') INTO bound FROM jsonb_each_text(tweaks) AS tweaked
        WHERE tweaked.value = ANY (changed) AND NOT columns ? tweaked.key;
    IF bound IS NOT NULL THEN
        RAISE EXCEPTION 'tallystick: the tweak of these columns of % can''t change, since they have tokens already: %',
            TG_RELID::regclass, bound
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Set these columns in the same UPDATE.';
    END IF;
    RETURN jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], columns));
END $$;

-- Replaces columns of a table by what a function (tally_protect or tally_reveal) returns, some pages of
-- it in a transaction. If it is interrupted, the next call goes on: the column `left_over` says which columns
-- of a row are still to be replaced (NULL: all), and goes at the end.
CREATE PROCEDURE tally_replace_table(relation regclass, policy text, pages integer, function text, left_over text)
LANGUAGE plpgsql AS $$
DECLARE
    assignments text;
    tweaks jsonb;
    refused text;
    records text;
    known record;
    mark CONSTANT text := pg_catalog.format('tallystick: columns left for %s under policy %L', function, policy);
    there boolean;
    part oid;
    parts oid[];
    partitioned boolean;
    page bigint;
    blocks bigint;
BEGIN
    IF pages IS NULL OR pages < 1 THEN
        RAISE EXCEPTION '%_table: pages must be 1 or more', function USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT class.relkind = 'p' INTO partitioned FROM pg_catalog.pg_class AS class
        WHERE class.oid = relation::pg_catalog.oid AND NOT class.relispartition
        AND (class.relkind = 'p' OR class.relkind = 'r' AND NOT class.relhassubclass);
    IF partitioned IS NULL THEN
        RAISE EXCEPTION '%_table: % is no ordinary table, and no partitioned one', function, relation
            USING ERRCODE = 'wrong_object_type',
                  HINT = 'Of a partition, call it for the partitioned table: ' || coalesce(pg_catalog.pg_partition_root(relation)::pg_catalog.text, 'it has all partitions.');
    END IF;
    SELECT pg_catalog.array_agg(tree.relid::pg_catalog.oid) INTO parts FROM pg_catalog.pg_partition_tree(relation) AS tree WHERE tree.isleaf AND partitioned;
    IF NOT partitioned THEN
        parts := ARRAY[relation::pg_catalog.oid];
    END IF;
    SELECT pg_catalog.string_agg(class.oid::pg_catalog.regclass::pg_catalog.text, ', ') INTO refused
        FROM pg_catalog.pg_class AS class WHERE class.oid = ANY (parts) AND class.relkind <> 'r';
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION '%_table: these partitions of % are no ordinary tables: %', function, relation, refused
            USING ERRCODE = 'wrong_object_type', HINT = 'Detach them first. Foreign tables are protected where they are.';
    END IF;
    PERFORM @extschema@.tally_check_columns(relation, policy);
    SELECT pg_catalog.string_agg(DISTINCT pg_catalog.quote_ident(found.column_name), ', ') INTO refused
        FROM @extschema@.tally_columns(relation, policy, function) AS found, pg_catalog.pg_partition_tree(relation) AS tree
        JOIN pg_catalog.pg_partitioned_table AS keyed ON keyed.partrelid = tree.relid::pg_catalog.oid
        JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = tree.relid::pg_catalog.oid AND attribute.attnum = ANY (keyed.partattrs)
        WHERE found.rule IS NOT NULL AND attribute.attname = found.column_name;
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION '%_table: % is partitioned by these columns, so their rows would move: %', function, relation, refused
            USING ERRCODE = 'feature_not_supported',
                  HINT = 'Insert what tally_protect or tally_reveal returns into a new table, or partition by other columns.';
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(found.column_name), ', ') INTO refused
        FROM @extschema@.tally_columns(relation, policy, function) AS found
        WHERE function = 'tally_reveal' AND found.one_way;
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION '%_table: formats of these columns are one-way: %', function, refused
            USING ERRCODE = 'feature_not_supported', HINT = 'Their values can''t be recovered from the tokens.';
    END IF;
    SELECT attribute.attname INTO refused FROM pg_catalog.pg_attribute AS attribute
        WHERE attribute.attrelid = relation::pg_catalog.oid AND NOT attribute.attisdropped
        AND attribute.attname IN ('tally_unprotected', 'tally_unrevealed') AND attribute.attname::text <> left_over;
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION '%_table: % has a column %, of a call that was interrupted', function, relation, refused
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Finish that call first.';
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.format('%I = CASE WHEN (%1$L = ANY (%I)) IS NOT FALSE THEN %s ELSE %1$I END',
                                                   found.column_name, left_over, found.assigned), ', '),
           pg_catalog.jsonb_object_agg(found.column_name, CASE function WHEN 'tally_protect' THEN found.tweak END)
        INTO assignments, tweaks
        FROM @extschema@.tally_columns(relation, policy, function) AS found WHERE found.rule IS NOT NULL;
    SELECT pg_catalog.col_description(relation, attribute.attnum) IS NOT DISTINCT FROM mark INTO there
        FROM pg_catalog.pg_attribute AS attribute
        WHERE attribute.attrelid = relation::pg_catalog.oid AND attribute.attname::text = left_over AND NOT attribute.attisdropped;
    -- A constraint that always holds is the record of a column with tokens: pg_dump writes it, and it goes with the column.
    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(found.column_name), ', '),
           pg_catalog.string_agg(pg_catalog.format('DROP CONSTRAINT %I', found.recorded), ', ') INTO refused, records
        FROM @extschema@.tally_columns(relation, policy, function) AS found
        WHERE there IS NULL AND function = 'tally_protect' AND found.rule IS NOT NULL AND found.recorded IS NOT NULL;
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION '%_table: these columns of % have tokens already: %', function, relation, refused
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Protect single rows with UPDATE and tally_protect, and other columns under a policy that has these in keep. '
                         || pg_catalog.format('If all rows have values again, forget the tokens: ALTER TABLE %s %s;', relation, records);
    END IF;
    IF there IS NULL THEN
        EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I pg_catalog.text[]', relation, left_over);
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', relation, left_over, mark);
        -- Triggers fire in the order of their names: this one sees what the others made of the row.
        EXECUTE pg_catalog.format('CREATE TRIGGER zz_%I BEFORE UPDATE ON %s FOR EACH ROW WHEN (OLD.%1$I OPERATOR(pg_catalog.=) NEW.%1$I)'
            ' EXECUTE FUNCTION @extschema@.tally_row_changed(%1$L, %3$L)', left_over, relation, tweaks);
        EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER zz_%I', relation, left_over);
    ELSIF NOT there THEN
        RAISE EXCEPTION '%_table: % has a column % that another policy''s call made', function, relation, left_over
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Finish that call first.';
    END IF;
    COMMIT;
    FOREACH part IN ARRAY coalesce(parts, '{}') LOOP
        page := 0;
        blocks := pg_catalog.pg_relation_size(part) / pg_catalog.current_setting('block_size')::bigint;
        WHILE page < blocks LOOP
            EXECUTE pg_catalog.format(
                'UPDATE %s SET %s, %I = ''{}'' WHERE ctid >= %L::tid AND ctid < %L::tid AND (pg_catalog.cardinality(%3$I) = 0) IS NOT TRUE',
                part::pg_catalog.regclass, assignments, left_over, pg_catalog.format('(%s,0)', page), pg_catalog.format('(%s,0)', page + pages));
            COMMIT;
            page := page + pages;
        END LOOP;
    END LOOP;
    -- A snapshot from before the lock would hide rows that others have written meanwhile.
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation);
    EXECUTE pg_catalog.format('UPDATE %s SET %s, %I = ''{}'' WHERE (pg_catalog.cardinality(%3$I) = 0) IS NOT TRUE',
        relation, assignments, left_over);
    -- A table with deferred checks that are still to be done can't be altered.
    SET CONSTRAINTS ALL IMMEDIATE;
    -- The statistics have values that were frequent before.
    EXECUTE pg_catalog.format('ANALYZE %s', relation);
    EXECUTE pg_catalog.format('DROP TRIGGER zz_%I ON %s', left_over, relation);
    EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', relation, left_over);
    FOR known IN SELECT found.* FROM @extschema@.tally_columns(relation, policy, function) AS found WHERE found.rule IS NOT NULL LOOP
        IF known.recorded IS NOT NULL THEN
            EXECUTE pg_catalog.format('ALTER TABLE %s DROP CONSTRAINT %I', relation, known.recorded);
        END IF;
        IF function = 'tally_protect' THEN
            EXECUTE pg_catalog.format('ALTER TABLE %s ADD CONSTRAINT %I CHECK ((%I IS NULL) IS NOT NULL)%s NOT VALID',
                relation, 'tally_protected_' || pg_catalog.gen_random_uuid()::pg_catalog.text, known.column_name,
                CASE WHEN partitioned THEN '' ELSE ' NO INHERIT' END);
        END IF;
    END LOOP;
END $$;

CREATE PROCEDURE tally_protect_table(relation regclass, policy text DEFAULT NULL, pages integer DEFAULT 1000)
LANGUAGE plpgsql AS $$
BEGIN
    CALL @extschema@.tally_replace_table(relation, policy, pages, 'tally_protect'::pg_catalog.text, 'tally_unprotected'::pg_catalog.text);
END $$;

-- The reverse.
CREATE PROCEDURE tally_reveal_table(relation regclass, policy text DEFAULT NULL, pages integer DEFAULT 1000)
LANGUAGE plpgsql AS $$
BEGIN
    CALL @extschema@.tally_replace_table(relation, policy, pages, 'tally_reveal'::pg_catalog.text, 'tally_unrevealed'::pg_catalog.text);
END $$;

-- Nobody but the owner has a right that is not granted.
REVOKE ALL ON FUNCTION tally_policy_rules(json), tally_policy_unlisted(json, text), tally_key_fingerprint(text), tally_status(),
    tally_key_pin(text), tally_policy_set(text, json, boolean), tally_policy_drop(text),
    tally_policies_check(), tally_policies_changed() FROM PUBLIC;
