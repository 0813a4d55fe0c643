package otlp

import (
	common "go.opentelemetry.io/proto/otlp/common/v1"
)

type attribute = *common.KeyValue

func text(key, value string) attribute {
	return &common.KeyValue{Key: key, Value: textValue(value)}
}

func textValue(value string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}
}

func whole(key string, value int64) attribute {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

func number(key string, value float64) attribute {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: value}}}
}

func truth(key string, value bool) attribute {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: value}}}
}

func texts(key string, values ...string) attribute {
	all := &common.ArrayValue{}
	for _, v := range values {
		all.Values = append(all.Values, textValue(v))
	}
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: all}}}
}
