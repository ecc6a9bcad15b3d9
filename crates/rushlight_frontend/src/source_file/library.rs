//! The classes of `torch.nn` and what each is made with, as Python calls them.

/// Classes that are made with the same parameters, and these in order: `name=` has a default, what follows `*` goes by name
/// alone, `*args` and `**kwargs` take any more.
const CLASSES: &[(&str, &str)] = &[
    (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
        "output_size",
    ),
    (
        "AdaptiveLogSoftmaxWithLoss",
        "in_features n_classes cutoffs div_value= head_bias= device= dtype=",
    ),
    (
        "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d",
        "output_size return_indices=",
    ),
    (
        "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
        "p= inplace=",
    ),
    (
        "AvgPool1d",
        "kernel_size stride= padding= ceil_mode= count_include_pad=",
    ),
    (
        "AvgPool2d AvgPool3d",
        "kernel_size stride= padding= ceil_mode= count_include_pad= divisor_override=",
    ),
    (
        "BCELoss MultiLabelSoftMarginLoss",
        "weight= size_average= reduce= reduction=",
    ),
    (
        "BCEWithLogitsLoss",
        "weight= size_average= reduce= reduction= pos_weight=",
    ),
    (
        "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d",
        "num_features eps= momentum= affine= track_running_stats= device= dtype= * bias=",
    ),
    (
        "Bilinear",
        "in1_features in2_features out_features bias= device= dtype=",
    ),
    (
        "Buffer Identity Module Parameter UninitializedBuffer UninitializedParameter",
        "*args **kwargs",
    ),
    ("CELU ELU", "alpha= inplace="),
    ("CTCLoss", "blank= reduction= zero_infinity="),
    ("ChannelShuffle", "groups"),
    (
        "CircularPad1d CircularPad2d CircularPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d \
         ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
        "padding",
    ),
    ("ConstantPad1d ConstantPad2d ConstantPad3d", "padding value"),
    ("Container", "**kwargs"),
    (
        "Conv1d Conv2d Conv3d",
        "in_channels out_channels kernel_size stride= padding= dilation= groups= bias= padding_mode= device= \
         dtype=",
    ),
    (
        "ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "in_channels out_channels kernel_size stride= padding= output_padding= groups= bias= dilation= \
         padding_mode= device= dtype=",
    ),
    (
        "CosineEmbeddingLoss HingeEmbeddingLoss MarginRankingLoss",
        "margin= size_average= reduce= reduction=",
    ),
    ("CosineSimilarity", "dim= eps="),
    (
        "CrossEntropyLoss",
        "weight= size_average= ignore_index= reduce= reduction= label_smoothing=",
    ),
    ("CrossMapLRN2d LocalResponseNorm", "size alpha= beta= k="),
    ("DataParallel", "module device_ids= output_device= dim="),
    (
        "Embedding",
        "num_embeddings embedding_dim padding_idx= max_norm= norm_type= scale_grad_by_freq= sparse= _weight= \
         _freeze= device= dtype=",
    ),
    (
        "EmbeddingBag",
        "num_embeddings embedding_dim max_norm= norm_type= scale_grad_by_freq= mode= sparse= _weight= \
         include_last_offset= padding_idx= device= dtype=",
    ),
    ("Flatten", "start_dim= end_dim="),
    ("Fold", "output_size kernel_size dilation= padding= stride="),
    (
        "FractionalMaxPool2d FractionalMaxPool3d",
        "kernel_size output_size= output_ratio= return_indices= _random_samples=",
    ),
    ("GELU", "approximate="),
    ("GLU LogSoftmax Softmax Softmin", "dim="),
    (
        "GRU LSTM",
        "input_size hidden_size num_layers= bias= batch_first= dropout= bidirectional= proj_size= device= dtype=",
    ),
    (
        "GRUCell LSTMCell",
        "input_size hidden_size bias= device= dtype=",
    ),
    ("GaussianNLLLoss", "* full= eps= reduction="),
    (
        "GroupNorm",
        "num_groups num_channels eps= affine= device= dtype= * bias=",
    ),
    ("Hardshrink Softshrink", "lambd="),
    (
        "Hardsigmoid Hardswish Mish ReLU ReLU6 SELU SiLU",
        "inplace=",
    ),
    (
        "Hardtanh",
        "min_val= max_val= inplace= min_value= max_value=",
    ),
    ("HuberLoss", "reduction= delta="),
    ("KLDivLoss", "size_average= reduce= reduction= log_target="),
    (
        "L1Loss MSELoss MultiLabelMarginLoss SoftMarginLoss",
        "size_average= reduce= reduction=",
    ),
    (
        "LPPool1d LPPool2d LPPool3d",
        "norm_type kernel_size stride= ceil_mode=",
    ),
    (
        "LayerNorm",
        "normalized_shape eps= elementwise_affine= bias= device= dtype=",
    ),
    (
        "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d",
        "eps= momentum= affine= track_running_stats= device= dtype= * bias=",
    ),
    (
        "LazyConv1d LazyConv2d LazyConv3d",
        "out_channels kernel_size stride= padding= dilation= groups= bias= padding_mode= device= dtype=",
    ),
    (
        "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
        "out_channels kernel_size stride= padding= output_padding= groups= bias= dilation= padding_mode= device= \
         dtype=",
    ),
    ("LazyLinear", "out_features bias= device= dtype="),
    ("LeakyReLU", "negative_slope= inplace="),
    ("Linear", "in_features out_features bias= device= dtype="),
    (
        "LinearCrossEntropyLoss",
        "in_features num_classes * out_features= bias= device= dtype= reduction= weight= ignore_index= \
         label_smoothing= options=",
    ),
    (
        "LinearCrossEntropyOptions",
        "allow_retain_graph= batch_chunk_size= chunking_method= acc_policy= acc_dtype=",
    ),
    ("LogSigmoid Sigmoid Softmax2d Softsign Tanh Tanhshrink", ""),
    (
        "MaxPool1d MaxPool2d MaxPool3d",
        "kernel_size stride= padding= dilation= return_indices= ceil_mode=",
    ),
    (
        "MaxUnpool1d MaxUnpool2d MaxUnpool3d",
        "kernel_size stride= padding=",
    ),
    ("ModuleDict ModuleList", "modules="),
    (
        "MultiMarginLoss",
        "p= margin= weight= size_average= reduce= reduction=",
    ),
    (
        "MultiheadAttention",
        "embed_dim num_heads dropout= bias= add_bias_kv= add_zero_attn= kdim= vdim= batch_first= device= dtype=",
    ),
    (
        "NLLLoss NLLLoss2d",
        "weight= size_average= ignore_index= reduce= reduction=",
    ),
    ("PReLU", "num_parameters= init= device= dtype="),
    ("PairwiseDistance", "p= eps= keepdim="),
    ("ParameterDict", "parameters="),
    ("ParameterList", "values="),
    ("PixelShuffle", "upscale_factor"),
    ("PixelUnshuffle", "downscale_factor"),
    (
        "PoissonNLLLoss",
        "log_input= full= size_average= eps= reduce= reduction=",
    ),
    (
        "RMSNorm",
        "normalized_shape eps= elementwise_affine= device= dtype=",
    ),
    (
        "RNN",
        "input_size hidden_size num_layers= nonlinearity= bias= batch_first= dropout= bidirectional= proj_size= \
         device= dtype=",
    ),
    (
        "RNNBase",
        "mode input_size hidden_size num_layers= bias= batch_first= dropout= bidirectional= proj_size= device= \
         dtype=",
    ),
    (
        "RNNCell",
        "input_size hidden_size bias= nonlinearity= device= dtype=",
    ),
    (
        "RNNCellBase",
        "input_size hidden_size bias num_chunks device= dtype=",
    ),
    ("RReLU", "lower= upper= inplace="),
    ("Sequential", "*args"),
    ("SmoothL1Loss", "size_average= reduce= reduction= beta="),
    ("Softplus", "beta= threshold="),
    (
        "SyncBatchNorm",
        "num_features eps= momentum= affine= track_running_stats= process_group= device= dtype= * bias=",
    ),
    ("Threshold", "threshold value inplace="),
    (
        "Transformer",
        "d_model= nhead= num_encoder_layers= num_decoder_layers= dim_feedforward= dropout= activation= \
         custom_encoder= custom_decoder= layer_norm_eps= batch_first= norm_first= bias= device= dtype=",
    ),
    ("TransformerDecoder", "decoder_layer num_layers norm="),
    (
        "TransformerDecoderLayer TransformerEncoderLayer",
        "d_model nhead dim_feedforward= dropout= activation= layer_norm_eps= batch_first= norm_first= bias= \
         device= dtype=",
    ),
    (
        "TransformerEncoder",
        "encoder_layer num_layers norm= enable_nested_tensor= mask_check=",
    ),
    (
        "TripletMarginLoss",
        "margin= p= eps= swap= size_average= reduce= reduction=",
    ),
    (
        "TripletMarginWithDistanceLoss",
        "* distance_function= margin= swap= reduction=",
    ),
    ("Unflatten", "dim unflattened_size"),
    ("Unfold", "kernel_size dilation= padding= stride="),
    (
        "Upsample",
        "size= scale_factor= mode= align_corners= recompute_scale_factor=",
    ),
    (
        "UpsamplingBilinear2d UpsamplingNearest2d",
        "size= scale_factor=",
    ),
];

/// What lies in `torch.nn` besides its classes.
const OTHERS: &str = "attention common_types functional grad init intrinsic modules parallel parameter qat quantizable quantized utils \
     factory_kwargs";

/// What a class of the library is made with: its parameters; `None` where `torch.nn` has no such class.
pub(crate) fn parameters_of(name: &str) -> Option<&'static str> {
    let is_of = |(names, _): &&(&str, &str)| names.split(' ').any(|n| n == name);
    CLASSES
        .iter()
        .find(is_of)
        .map(|(_, parameters)| *parameters)
}

/// The classes of `torch.nn`.
pub(crate) fn classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().flat_map(|(names, _)| names.split(' '))
}

/// All names of `torch.nn`.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    classes().chain(OTHERS.split(' '))
}
